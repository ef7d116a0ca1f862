// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Which aspects kernels need, and what becomes of kernels that a device cannot run.

use crate::support::*;
use syclrtc_protocol::{Built, Compile, LeftOut, Output, Reply, Target};

const FP16: u32 = 5;
const FP64: u32 = 6;
const ATOMIC64: u32 = 27;

fn device(aspects: &[u32]) -> Target {
    Target { aspects: aspects.to_vec(), ..target() }
}

fn built_for(text: &str, aspects: &[u32]) -> Built {
    shared().built(&Compile { output: Output::Image(device(aspects)), ..request(&with_head(text)) })
}

/// Kernels of the image: their plain names if they have one.
fn names(built: &Built) -> Vec<&str> {
    built.table.kernels.iter().map(|kernel| kernel.plain_name.as_deref().unwrap_or(&kernel.raw_name)).collect()
}

const ATOMIC: &str = "template <class T> using Atomic = \
                      sycl::atomic_ref<T, sycl::memory_order::relaxed, sycl::memory_scope::device>;\n";

/// Optional features, `device` section 11: through the whole call tree.
#[test]
fn what_the_code_uses() {
    for (text, aspects) in [
        ("extern \"C\" SINGLE void k(float *p) { *p = sycl::sin(*p) + 1.5f; }", &[][..]),
        ("extern \"C\" SINGLE void k(double *p) { *p = 1; }", &[FP64]),
        ("extern \"C\" SINGLE void k(double *p) { p[1]; }", &[]),
        ("extern \"C\" SINGLE void k(float *p, double x) { *p = float(x); }", &[FP64]),
        ("extern \"C\" SINGLE void k(float *p) { *p = float(0.5); }", &[]),
        ("extern \"C\" SINGLE void k(float *p) { *p = *p * 0.5; }", &[FP64]),
        ("extern \"C\" SINGLE void k(float *p) { long double x = *p; *p = x * x; }", &[FP64]),
        ("extern \"C\" SINGLE void k(sycl::half *p) { *p += sycl::half(1); }", &[FP16]),
        ("extern \"C\" SINGLE void k(sycl::half4 *p) { *p = *p + *p; }", &[FP16]),
        ("extern \"C\" SINGLE void k(float *p) { if constexpr (false) *p = double(*p); }", &[]),
        ("struct P { double x; };\nextern \"C\" SINGLE void k(P *p, P q) { *p = q; }", &[FP64]),
        (
            "static const double table[] = {1, 2};\nextern \"C\" SINGLE void k(float *p, int i) { *p = table[i]; }",
            &[FP64],
        ),
        (
            "__attribute__((noinline)) double h(int x) { return x; }\n__attribute__((noinline)) int g(int x) { return h(x); }\n\
             extern \"C\" SINGLE void k(int *p) { *p = g(*p); }\nvoid unused(double *p) { *p = 1; }",
            &[FP64],
        ),
        ("extern \"C\" SINGLE void k(int *p) { Atomic<int>(*p) += 1; }", &[]),
        ("extern \"C\" SINGLE void k(long *p) { Atomic<long>(*p) += 1; }", &[ATOMIC64]),
        ("extern \"C\" SINGLE void k(unsigned long *p) { Atomic<unsigned long>(*p).store(1); }", &[ATOMIC64]),
        ("extern \"C\" SINGLE void k(unsigned long *p) { p[1] = Atomic<unsigned long>(*p).load(); }", &[ATOMIC64]),
        (
            "extern \"C\" SINGLE void k(long *p, long x) { Atomic<long>(*p).compare_exchange_strong(x, 5); }",
            &[ATOMIC64],
        ),
        ("extern \"C\" SINGLE void k(double *p) { Atomic<double>(*p) += 1; }", &[FP64, ATOMIC64]),
        ("extern \"C\" SINGLE void k(long *p) { *p = *p * 3; }", &[]),
    ] {
        for option in ["-O2", "-O0"] {
            let request = Compile { options: vec![option.into()], ..request(&with_head(&format!("{ATOMIC}{text}"))) };
            let kernels = shared().built(&request).table.kernels;
            assert_eq!(kernels[0].aspects, aspects, "{option} {text}");
        }
    }
}

/// `free-function-kernels` section 3: `device_has`.
#[test]
fn what_the_source_declares() {
    let built = built_for(
        "#define NEEDS(a) SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclexp::device_has<sycl::aspect::a>)\n\
         NEEDS(gpu) int helper(int x) { return x; }\n\
         extern \"C\" NEEDS(cpu) SINGLE void a(int *p) { *p = 1; }\n\
         extern \"C\" NEEDS(cpu) SINGLE void b(double *p) { *p = helper(1); }\n\
         extern \"C\" SINGLE void c(int *p) { *p = 1; }\n",
        &[0, 1, 2, 5, 6, 27],
    );
    let aspects: Vec<_> = built.table.kernels.iter().map(|kernel| kernel.aspects.as_slice()).collect();
    assert_eq!(aspects, [&[1][..], &[1, 2, FP64], &[]]);
}

/// Kernels in the same source that do not use what the device lacks stay.
#[test]
fn kernels_that_the_device_cannot_run_are_left_out() {
    let text = "extern \"C\" SINGLE void plain(int *p) { *p = 1; }\n\
                extern \"C\" SINGLE void wide(double *p) { *p *= 2; }\n\
                template <class T> SINGLE void t(T *p) { *p += T(1); }\n\
                extern \"C\" SINGLE void both(double *p, sycl::half *q) { *p = *q; }\n";
    let request = Compile {
        output: Output::Image(device(&[FP16])),
        registered_names: vec!["t<double>".into(), "t<float>".into(), "wide".into()],
        ..request(&with_head(text))
    };
    let built = shared().built(&request);
    validate(&built.code);
    assert_eq!(names(&built), ["plain", "_Z15__sycl_kernel_tIfEvPT_"]);
    assert_eq!(built.table.registered_names, [("t<float>".into(), "_Z15__sycl_kernel_tIfEvPT_".into())]);
    let mut left = built.table.left_out.clone();
    left.sort_by(|a, b| a.raw_name.cmp(&b.raw_name));
    let row = |raw_name: &str, names: &[&str]| LeftOut {
        raw_name: raw_name.into(),
        names: names.iter().map(|&name| name.into()).collect(),
        missing: vec![FP64],
    };
    assert_eq!(
        left,
        [
            row("_Z15__sycl_kernel_tIdEvPT_", &["_Z1tIdEvPT_", "t<double>"]),
            row("__sycl_kernel_both", &["both"]),
            row("__sycl_kernel_wide", &["wide"]),
        ]
    );
    let ir = shared().text(&built.final_ir);
    assert!(!ir.contains("double"), "{ir}");
}

#[test]
fn an_image_without_kernels_is_fine() {
    let built = built_for("extern \"C\" SINGLE void k(double *p) { *p = 1; }", &[]);
    assert!(built.code.is_empty() && built.table.kernels.is_empty());
    assert_eq!(built.table.left_out.len(), 1);
}

/// C6: an importer that the device cannot run. C7: an exporter.
#[test]
fn importers_of_what_the_device_lacks_are_left_out() {
    let object = |text: &str| shared().built(&object_of(&with_head(text)));
    let exporter = object(
        "SYCL_EXTERNAL int plain(int x) { return x + 1; }\nSYCL_EXTERNAL int wide(int x) { return int(x * 0.3); }\n",
    );
    let importer = object(
        "SYCL_EXTERNAL int plain(int);\nSYCL_EXTERNAL int wide(int);\n\
         extern \"C\" SINGLE void a(int *p) { *p = plain(*p); }\nextern \"C\" SINGLE void b(int *p) { *p = wide(*p); }\n\
         extern \"C\" SINGLE void c(int *p) { *p = plain(int(*p * 0.5)); }\n",
    );
    let link = |objects: &[&Built], aspects: &[u32]| match shared().link(objects, device(aspects)) {
        Reply::Built(built) => built,
        other => panic!("{other:#?}"),
    };
    assert_eq!(names(&link(&[&exporter, &importer], &[FP64])), ["a", "b", "c"]);
    let narrow = link(&[&importer, &exporter], &[]);
    validate(&narrow.code);
    assert_eq!(names(&narrow), ["a"]);
    let left: Vec<_> = narrow.table.left_out.iter().map(|row| row.raw_name.as_str()).collect();
    assert_eq!(left, ["__sycl_kernel_b", "__sycl_kernel_c"]);
    let only_b = object("SYCL_EXTERNAL int wide(int);\nextern \"C\" SINGLE void b(int *p) { *p = wide(*p); }\n");
    let nothing = link(&[&only_b, &exporter], &[]);
    assert!(nothing.code.is_empty() && nothing.table.kernels.is_empty());
}
