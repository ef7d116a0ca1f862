// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each header of the C++ library alone in a source (device.md section 12): the function that uses it is one text for
// device and host, and must give one answer.

#include "device_test.hpp"

#include "std/algorithm.hpp"
#include "std/array.hpp"
#include "std/bit.hpp"
#include "std/bitset.hpp"
#include "std/cassert.hpp"
#include "std/cfloat.hpp"
#include "std/climits.hpp"
#include "std/cmath.hpp"
#include "std/compare.hpp"
#include "std/complex.hpp"
#include "std/concepts.hpp"
#include "std/cstddef.hpp"
#include "std/cstdint.hpp"
#include "std/cstdlib.hpp"
#include "std/cstring.hpp"
#include "std/functional.hpp"
#include "std/initializer_list.hpp"
#include "std/iterator.hpp"
#include "std/limits.hpp"
#include "std/math_h.hpp"
#include "std/new.hpp"
#include "std/numbers.hpp"
#include "std/numeric.hpp"
#include "std/optional.hpp"
#include "std/ratio.hpp"
#include "std/span.hpp"
#include "std/string_view.hpp"
#include "std/tuple.hpp"
#include "std/type_traits.hpp"
#include "std/utility.hpp"
#include "std/variant.hpp"

namespace {

struct row {
  std::string name;
  int (*on_host)(int);
};

void check(const row &header, const std::string &standard) {
  CAPTURE(header.name);
  CAPTURE(standard);
  sycl::queue q;
  const std::string &name = header.name;
  // The light header alone makes a kernel, so that <sycl/sycl.hpp> cannot help.
  const std::string text = "#include \"std/" + name +
                           ".hpp\"\n"
                           "#include <sycl/ext/oneapi/free_function_kernel_properties.hpp>\n"
                           "namespace syclex = sycl::ext::oneapi::experimental;\n"
                           "extern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclex::single_task_kernel)\n"
                           "void run(int *out, int count) { for (int i = 0; i < count; ++i) out[i] = use_" +
                           name + "(i); }\n";
  for (const std::string level : {"-O0", "-O2"}) {
    CAPTURE(level);
    const auto bundle = device_test::build_text(q, text, {"-I", SYCLRTC_DEVICE_TESTS, standard, level});
    constexpr int count = 20;
    const support::shared_array<int> out(q, count, -1);
    q.submit([&](sycl::handler &group) {
       group.set_args(out.get(), count);
       group.single_task(bundle.ext_oneapi_get_kernel("run"));
     }).wait();
    for (int i = 0; i < count; ++i) {
      CAPTURE(i);
      CHECK(out[static_cast<std::size_t>(i)] == header.on_host(i));
    }
  }
}

} // namespace

TEST_CASE("headers of C++17") {
  const row headers[] = {
      {"algorithm", use_algorithm},   {"array", use_array},
      {"bitset", use_bitset},         {"cassert", use_cassert},
      {"cfloat", use_cfloat},         {"climits", use_climits},
      {"cmath", use_cmath},           {"complex", use_complex},
      {"cstddef", use_cstddef},       {"cstdint", use_cstdint},
      {"cstdlib", use_cstdlib},       {"cstring", use_cstring},
      {"functional", use_functional}, {"initializer_list", use_initializer_list},
      {"iterator", use_iterator},     {"limits", use_limits},
      {"math_h", use_math_h},         {"new", use_new},
      {"numeric", use_numeric},       {"optional", use_optional},
      {"ratio", use_ratio},           {"string_view", use_string_view},
      {"tuple", use_tuple},           {"type_traits", use_type_traits},
      {"utility", use_utility},       {"variant", use_variant},
  };
  for (const row &header : headers)
    check(header, "-std=c++17");
}

TEST_CASE("headers of C++20") {
  const row headers[] = {
      {"bit", use_bit},         {"compare", use_compare}, {"concepts", use_concepts},
      {"numbers", use_numbers}, {"span", use_span},
  };
  for (const row &header : headers)
    check(header, "-std=c++20");
}
