// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sycl/sycl.hpp>
namespace syclex = sycl::ext::oneapi::experimental;

static constexpr size_t NUM = 1024;
static constexpr size_t WGSIZE = 16;

int main() {
  sycl::queue q;

  // The source code for a kernel, defined as a template.
  std::string source = R"""(
    #include <sycl/sycl.hpp>
    namespace syclext = sycl::ext::oneapi;
    namespace syclexp = sycl::ext::oneapi::experimental;

    template<typename T>
    SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))
    void iota(T start, T *ptr) {
      size_t id = syclext::this_work_item::get_nd_item<1>().get_global_linear_id();
      ptr[id] = start + static_cast<T>(id);
    }
  )""";

  // Create a kernel bundle in "source" form.
  sycl::kernel_bundle<sycl::bundle_state::ext_oneapi_source> kb_src =
    syclex::create_kernel_bundle_from_source(
      q.get_context(),
      syclex::source_language::sycl,
      source);

  // Compile the kernel.  Use the "registered_names" property to instantiate
  // the template for both "float" and "int".
  sycl::kernel_bundle<sycl::bundle_state::executable> kb_exe =
    syclex::build(kb_src,
      syclex::properties{syclex::registered_names{{"iota<float>", "iota<int>"}}});

  // Get the two kernels by passing the same strings that we registered.
  sycl::kernel iota_float = kb_exe.ext_oneapi_get_kernel("iota<float>");
  sycl::kernel iota_int = kb_exe.ext_oneapi_get_kernel("iota<int>");

  float *float_ptr = sycl::malloc_shared<float>(NUM, q);
  int *int_ptr = sycl::malloc_shared<int>(NUM, q);
  q.submit([&](sycl::handler &cgh) {
    // Set the values of the kernel arguments.
    cgh.set_args(3.14f, float_ptr);

    // Launch the kernel according to its type, in this case an nd-range kernel.
    sycl::nd_range ndr{{NUM}, {WGSIZE}};
    cgh.parallel_for(ndr, iota_float);
  }).wait();
  q.submit([&](sycl::handler &cgh) {
    cgh.set_args(3, int_ptr);
    sycl::nd_range ndr{{NUM}, {WGSIZE}};
    cgh.parallel_for(ndr, iota_int);
  }).wait();

  sycl::free(float_ptr, q);
  sycl::free(int_ptr, q);
}
