// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The compiler program as its client sees it.

mod support;

use support::*;
use syclrtc_protocol::{KernelKind, ParameterKind, Request};

/// The specification's kernel.
const IOTA: &str = r#"#include <sycl/sycl.hpp>
namespace syclext = sycl::ext::oneapi;
namespace syclexp = sycl::ext::oneapi::experimental;

extern "C"
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))
void iota(float start, float *ptr) {
  size_t id = syclext::this_work_item::get_nd_item<1>().get_global_linear_id();
  ptr[id] = start + static_cast<float>(id);
}
"#;

#[test]
fn the_kernel_of_the_specification() {
    let compiler = Compiler::start();
    let built = compiler.built(&request(IOTA));
    assert_eq!(built.image[..4], [0x03, 0x02, 0x23, 0x07]);
    let [kernel] = built.kernels.as_slice() else { panic!("{:#?}", built.kernels) };
    assert_eq!(kernel.raw_name, "__sycl_kernel_iota");
    assert_eq!(kernel.plain_name.as_deref(), Some("iota"));
    assert_eq!(kernel.kind, KernelKind::NdRange(1));
    let kinds: Vec<_> = kernel.parameters.iter().map(|p| (p.kind, p.size, p.name.as_str())).collect();
    assert_eq!(kinds, [(ParameterKind::Scalar, 4, "start"), (ParameterKind::Pointer, 8, "ptr")]);
    assert_eq!(built.log, "");
    assert!(built.stages.iter().any(|(name, _)| name == "front end"), "{:?}", built.stages);
    for _ in 0..5 {
        let b = compiler.built(&request(IOTA));
        eprintln!("{:?}", b.stages);
    }
}

#[test]
fn redefined_macro_warns() {
    let compiler = Compiler::start();
    let built = compiler.built(&with_options(IOTA, &["-D__SYCL_DEVICE_ONLY__=2"]));
    assert!(built.log.contains("macro redefined"), "{}", built.log);
    assert!(built.stages.iter().any(|(name, _)| name == "front end from nothing"), "{:?}", built.stages);
}
