// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Before doctest, which prints what it compares and only declares streams.
#include <ostream>

#include <doctest/doctest.h>

#include <sycl/sycl.hpp>

#include <string>
#include <vector>

namespace support {

namespace syclex = sycl::ext::oneapi::experimental;

using source_bundle = sycl::kernel_bundle<sycl::bundle_state::ext_oneapi_source>;
using object_bundle = sycl::kernel_bundle<sycl::bundle_state::object>;
using executable_bundle = sycl::kernel_bundle<sycl::bundle_state::executable>;

/// What each kernel source starts with: one line, so that the next is line 2.
inline const std::string prelude =
    "#include <sycl/sycl.hpp>\n"
    "namespace syclext = sycl::ext::oneapi; namespace syclexp = sycl::ext::oneapi::experimental;\n"
    "#define KERNEL_1D extern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>)) void\n"
    "#define KERNEL_2D extern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<2>)) void\n"
    "#define KERNEL_3D extern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<3>)) void\n"
    "#define TASK extern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::single_task_kernel)) void\n";
/// Number of the first line after the prelude.
inline constexpr int first_line = 7;

inline const std::string iota =
    "KERNEL_1D iota(int start, int *out) {\n"
    "  auto i = syclext::this_work_item::get_nd_item<1>().get_global_linear_id();\n"
    "  out[i] = start + static_cast<int>(i);\n"
    "}\n";

inline source_bundle source(const sycl::queue &q, const std::string &text) {
  return syclex::create_kernel_bundle_from_source(q.get_context(), syclex::source_language::sycl, prelude + text);
}

template <class... Properties>
executable_bundle build(const sycl::queue &q, const std::string &text, Properties... properties) {
  return syclex::build(source(q, text), syclex::properties{properties...});
}

template <class... Properties>
object_bundle compile(const sycl::queue &q, const std::string &text, Properties... properties) {
  return syclex::compile(source(q, text), syclex::properties{properties...});
}

/// Shared memory that is given back, filled with `value`.
template <class T> class shared_array {
public:
  shared_array(const sycl::queue &q, std::size_t count, T value = T())
      : queue_(q), data_(sycl::malloc_shared<T>(count, q)), count_(count) {
    REQUIRE(data_ != nullptr);
    for (std::size_t i = 0; i < count; ++i)
      data_[i] = value;
  }
  shared_array(const shared_array &) = delete;
  shared_array &operator=(const shared_array &) = delete;
  ~shared_array() { sycl::free(data_, queue_); }

  T *get() const { return data_; }
  T &operator[](std::size_t i) const { return data_[i]; }
  std::size_t size() const { return count_; }

private:
  sycl::queue queue_;
  T *data_;
  std::size_t count_;
};

/// What the exception says that `call` must throw with this code.
template <class Call> std::string failure(sycl::errc code, Call call) {
  try {
    call();
  } catch (const sycl::exception &e) {
    CAPTURE(std::string(e.what()));
    CHECK(e.code() == code);
    CHECK(e.category().name() == std::string("sycl"));
    CHECK_FALSE(std::string(e.what()).empty());
    return e.what();
  }
  FAIL_CHECK("nothing was thrown");
  return {};
}

/// What a single-task kernel with one parameter `int *out` writes.
inline int run_task(sycl::queue q, const sycl::kernel &kernel) {
  shared_array<int> out(q, 1, -1);
  q.submit([&](sycl::handler &group) {
     group.set_args(out.get());
     group.single_task(kernel);
   }).wait();
  return out[0];
}
inline int run_task(const sycl::queue &q, const executable_bundle &bundle, const std::string &name) {
  return run_task(q, bundle.ext_oneapi_get_kernel(name));
}

inline bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

#define CHECK_CONTAINS(text, part)                                                                                     \
  do {                                                                                                                 \
    const std::string text_ = (text), part_ = (part);                                                                  \
    INFO("text: ", text_);                                                                                             \
    INFO("part: ", part_);                                                                                             \
    CHECK(support::contains(text_, part_));                                                                            \
  } while (false)

/// A device without SPIR-V, if there is one.
inline std::vector<sycl::device> devices_that_cannot_build() {
  std::vector<sycl::device> found;
  for (const sycl::device &each : sycl::device::get_devices()) {
    if (!each.ext_oneapi_can_build(syclex::source_language::sycl))
      found.push_back(each);
  }
  return found;
}

} // namespace support
