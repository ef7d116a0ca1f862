// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// type_name (docs/extensions.md). Each name is registered, and has to be that of the instantiation that the same source
// names by hand. Built with run-time type information and without, where compilers tell less.

#include "support.hpp"

#include <array>
#include <complex>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace syclex = sycl::ext::oneapi::experimental;
using sycl::ext::syclrtc::type_name;

#define TYPES                                                                                                          \
  "namespace ns {\n"                                                                                                   \
  "struct plain { int m; struct nested {}; };\n"                                                                       \
  "enum unscoped { zero, one };\n"                                                                                     \
  "enum class scoped : short { five = 5 };\n"                                                                          \
  "template <class T, int N> struct array_of {};\n"                                                                    \
  "template <auto V> struct value {};\n"                                                                               \
  "template <class...> struct pack {};\n"                                                                              \
  "template <template <class...> class C> struct of_template {};\n"                                                    \
  "inline namespace v2 { struct inside {}; }\n"                                                                        \
  "struct incomplete;\n"                                                                                               \
  "}\n"                                                                                                                \
  "union global_union { int i; float f; };\n"

// The same text as above, for the host.
namespace ns {
struct plain {
  int m;
  struct nested {};
};
enum unscoped { zero, one };
enum class scoped : short { five = 5 };
template <class T, int N> struct array_of {};
template <auto V> struct value {};
template <class...> struct pack {};
template <template <class...> class C> struct of_template {};
inline namespace v2 {
struct inside {};
} // namespace v2
struct incomplete;
} // namespace ns
union global_union {
  int i;
  float f;
};

namespace {

struct case_ {
  std::string by_hand;
  std::string by_type_name;
};

#if defined(__GXX_RTTI) || defined(__cpp_rtti)
constexpr bool rtti = true;
#else
constexpr bool rtti = false;
#endif
#ifdef __clang__
constexpr bool clang = true;
#else
constexpr bool clang = false;
#endif

#define CASE(...)                                                                                                      \
  case_ { #__VA_ARGS__, type_name<__VA_ARGS__>() }

const std::string prelude = "#include <sycl/sycl.hpp>\n"
                            "#include <complex>\n#include <map>\n#include <string>\n#include <vector>\n"
                            "namespace syclexp = sycl::ext::oneapi::experimental;\n" TYPES
                            "template <class T> struct tag {};\n"
                            "template <class T> SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::single_task_kernel))\n"
                            "void k(int *out) { *out = 1; }\n";

struct unnamed_namespace_type {};
[[maybe_unused]] struct {
  int a;
} unnamed;

} // namespace

extern "C" void syclrtc_test_local_type() {
  struct local {
    int member;
  };
  (void)type_name<std::vector<local>>();
}

TEST_CASE("a name finds the instantiation that is meant") {
  std::vector<case_> cases = {
      CASE(int),
      CASE(const int),
      CASE(const volatile int *const &),
      CASE(int &&),
      CASE(unsigned long long),
      CASE(signed char),
      CASE(char16_t),
      CASE(bool),
      CASE(double),
      CASE(void),
      CASE(const void *),
      CASE(std::nullptr_t),
      CASE(int[3]),
      CASE(int[2][3]),
      CASE(const float (&)[4]),
      CASE(int (*)(const char *, ns::plain)),
      CASE(void (*)() noexcept),
      CASE(int ns::plain::*),
      CASE(void (ns::plain::*)(int) const),
      CASE(ns::plain),
      CASE(ns::plain::nested),
      CASE(ns::unscoped),
      CASE(ns::scoped),
      CASE(ns::v2::inside),
      CASE(ns::inside *),
      CASE(ns::incomplete),
      CASE(global_union),
      CASE(ns::array_of<const int *, 3>),
      CASE(ns::value<3>),
      CASE(ns::value<'a'>),
      CASE(ns::value<true>),
      CASE(ns::value<ns::scoped::five>),
      CASE(ns::pack<>),
      CASE(ns::pack<int, ns::pack<char>, ns::unscoped[2]>),
      CASE(ns::of_template<std::vector>),
      CASE(sycl::half),
      CASE(sycl::vec<int, 4>),
      CASE(sycl::float3),
      CASE(sycl::marray<sycl::half, 3>),
      CASE(sycl::range<2>),
      CASE(sycl::id<3>),
      CASE(std::size_t),
      CASE(std::array<int, 4>),
      CASE(std::pair<const int, float>),
      CASE(std::tuple<int, ns::plain *>),
      CASE(std::optional<ns::scoped>),
      CASE(std::variant<int, double>),
      CASE(std::complex<float>),
      CASE(std::vector<std::pair<int, char>>),
      CASE(std::map<int, std::string>),
  };
  // GCC's messages do not tell the type of a value.
  if (rtti || clang) {
    cases.push_back(CASE(ns::value<3u>));
    cases.push_back(CASE(ns::value<-5l>));
  }
  const sycl::queue q;
  syclex::registered_names names;
  for (const case_ &each : cases) {
    names.add("k<" + each.by_hand + ">");
    names.add("k<" + each.by_type_name + ">");
  }
  const auto bundle = syclex::build(
      syclex::create_kernel_bundle_from_source(q.get_context(), syclex::source_language::sycl, prelude),
      syclex::properties{names});
  for (const case_ &each : cases) {
    CAPTURE(each.by_hand);
    CAPTURE(each.by_type_name);
    CHECK(bundle.ext_oneapi_get_raw_kernel_name("k<" + each.by_hand + ">") ==
          bundle.ext_oneapi_get_raw_kernel_name("k<" + each.by_type_name + ">"));
  }
}

TEST_CASE("different types have different names") {
  CHECK(type_name<int>() == "int");
  CHECK(type_name<int *>() != type_name<int &>());
  CHECK(type_name<const int>() != type_name<int>());
  if (rtti || clang)
    CHECK(type_name<ns::value<3>>() != type_name<ns::value<3u>>());
}

TEST_CASE("types that nobody else can name: invalid") {
  const auto refused = [](auto name) { CHECK_CONTAINS(support::failure(sycl::errc::invalid, name), "can name the type"); };
  struct local {};
  enum local_enum {};
  const auto lambda = [] {};
  refused([] { (void)type_name<unnamed_namespace_type>(); });
  refused([] { (void)type_name<std::vector<const unnamed_namespace_type *>>(); });
  refused([] { (void)type_name<decltype(unnamed)>(); });
  refused([] { (void)type_name<decltype(lambda)>(); });
  // Clang's messages do not tell that a type is local.
  if (clang && !rtti)
    return;
  refused([] { (void)type_name<local>(); });
  refused([] { (void)type_name<local_enum *>(); });
  refused([] { (void)type_name<ns::pack<int, local>>(); });
  // A function whose name is not mangled.
  refused([] { syclrtc_test_local_type(); });
}
