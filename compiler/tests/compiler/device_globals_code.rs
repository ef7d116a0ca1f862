// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Device globals in code: their places in the block, and how kernels reach them. Ids in comments are rules of section 10 of
//! `device`.

use crate::support::*;
use syclrtc_protocol::{Built, Compile, Output, Table, Target};

/// Lines of user text start at 6.
fn text(text: &str) -> String {
    with_head(&format!(
        "using syclexp::device_global;\n#define IMAGE_SCOPE decltype(syclexp::properties(syclexp::device_image_scope))\n{text}"
    ))
}

fn cxx20(source: &str, options: &[&str]) -> Compile {
    with_options(&text(source), &[&["-std=c++20"], options].concat())
}

fn built(source: &str, options: &[&str]) -> (Built, String) {
    let built = shared().built(&cxx20(source, options));
    validate(&built.code);
    let ir = shared().text(&built.final_ir);
    (built, ir)
}

fn object(source: &str) -> Built {
    shared().built(&Compile { output: Output::Object, ..cxx20(source, &[]) })
}

fn places(table: &Table) -> Vec<(&str, u64)> {
    table.device_globals.iter().map(|global| (global.symbol.as_str(), global.offset)).collect()
}

#[test]
fn without_device_globals_nothing_is_added() {
    let (built, ir) = built("extern \"C\" SINGLE void k(int *p) { *p = 1; }\n", &[]);
    assert_eq!(built.table.device_global_block, 0);
    assert!(!ir.contains("syclrtc_"), "{ir}");
}

/// G5: one block; places respect alignment and do not overlap.
#[test]
fn places_in_the_block() {
    let (built, ir) = built(
        "struct alignas(64) Big { char bytes[65]; };\ndevice_global<char> a; device_global<double> b; device_global<Big> c; device_global<short> d;\n\
         device_global<int, IMAGE_SCOPE> scoped; device_global<int> e;\n\
         extern \"C\" SINGLE void k(char *p) { a = 1; b = 2; c.get().bytes[64] = 3; d = 4; e = 5; scoped = 6; }\n",
        &[],
    );
    assert_eq!(places(&built.table), [("a", 0), ("b", 8), ("c", 64), ("d", 192), ("scoped", 0), ("e", 196)]);
    assert_eq!(built.table.device_global_block, 200);
    let body = function(&ir, "__sycl_kernel_k");
    assert!(body.contains("load ptr addrspace(1), ptr addrspace(1) @__syclrtc_device_globals"), "{body}");
    for offset in [8, 64, 192, 196] {
        assert!(body.contains(&format!("i64 {offset}")), "{offset}: {body}");
    }
    assert!(body.matches("load ptr").count() == 1, "{body}");
    let kernel = function(&ir, Table::GLOBALS_KERNEL);
    assert!(
        kernel.starts_with("define spir_kernel void @__syclrtc_initialize_device_globals(ptr addrspace(1)"),
        "{kernel}"
    );
    assert!(kernel.contains("align 128") && kernel.contains("ptr addrspace(1) @__syclrtc_device_globals"), "{kernel}");
}

/// Image scope: a variable of the image, that nobody initialises at run time.
#[test]
fn image_scope_ones_are_variables_of_the_image() {
    let (built, ir) = built(
        "device_global<int, IMAGE_SCOPE> x{7};\nextern \"C\" SINGLE void set(int v) { x = v; }\nextern \"C\" SINGLE void get(int *p) { *p = x; }\n",
        &[],
    );
    assert_eq!((built.table.device_global_block, built.table.device_globals.len()), (0, 1));
    assert!(ir.contains("@x.0 = internal") && ir.contains("global i32 7"), "{ir}");
    assert!(!ir.contains(Table::GLOBALS_KERNEL), "{ir}");
}

/// All shapes of use: members, elements, addresses in constant expressions, atomics, pointers that escape; at each level.
#[test]
fn uses_of_all_shapes() {
    let source = "struct P { int x; int y[4]; struct { short z; } q; };\ndevice_global<P> s; device_global<int[8]> a; device_global<int> i; static device_global<float> f;\n\
        template <class T> device_global<T> t; struct C { static inline device_global<long> m; };\n\
        __attribute__((noinline)) void by_pointer(int *p) { *p += 1; }\n\
        __attribute__((noinline)) int pick(bool b) { int *p = b ? &a[3] : &s.get().y[2]; return *p; }\n\
        extern \"C\" SINGLE void k(int *p, int n) {\n\
          s.get().x = 1; s.get().y[n] = 2; s.get().q.z = 3; a[n] = a[7]; by_pointer(&a[2]); by_pointer(&i.get());\n\
          for (int j = 0; j < n; ++j) p[j] = pick(j & 1); t<int> = n; C::m = n; f = f + 1;\n\
          sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(i.get()) += 1;\n\
          p[1] = int(reinterpret_cast<std::uintptr_t>(&a[1]) & 15); int *const list[] = {&a[0], &i.get()}; *list[n & 1] = 4;\n\
        }\n";
    for options in [&["-O2"][..], &["-O0"], &["-O3", "-g"]] {
        let (built, ir) = built(source, options);
        assert_eq!(built.table.device_globals.len(), 6);
        for row in &built.table.device_globals {
            assert!(!ir.contains(&format!("@{} = ", row.symbol)), "{ir}");
        }
    }
}

/// G2, G4: initial values, which the hidden kernel stores.
#[test]
fn initial_values() {
    let (built, ir) = built(
        "struct P { int x; float y; };\ndevice_global<int> a{5}; device_global<P> b{1, 2.0f}; device_global<int[3]> c{7, 0, 9}; device_global<int[100]> zero;\n\
         struct Table { int v[50]; constexpr Table(int n) : v() { for (int i = 0; i < 50; ++i) v[i] = n + i; } };\ndevice_global<Table> t{100};\n\
         constexpr device_global<int> base{6}; device_global<int> copy{base}; device_global<int *> address{nullptr};\n\
         extern \"C\" SINGLE void k(int *p) { *p = a + b.get().x + c[2] + zero[4] + t.get().v[1] + copy; address = p; }\n",
        &[],
    );
    let kernel = function(&ir, Table::GLOBALS_KERNEL);
    for value in ["i32 5,", "i32 6,", "i32 1,", "float 2.0", "i32 7,", "i32 9,"] {
        assert!(kernel.contains(value), "{value} {kernel}");
    }
    assert!(kernel.contains("llvm.memset") && kernel.contains("i64 400"), "{kernel}");
    assert!(kernel.contains("llvm.memcpy") && kernel.contains("@t.initial") && kernel.contains("i64 200"), "{kernel}");
    assert_eq!(built.table.device_globals.len(), 8);
    // The optimiser must not take an initial value for the value.
    let body = function(&ir, "__sycl_kernel_k");
    assert!(body.matches("load i32").count() >= 6, "{body}");
}

/// A device global may begin with the address of another one; a constant of the program may not.
#[test]
fn addresses_in_initial_values() {
    let (_, ir) = built(
        "device_global<int> a; device_global<void *> p{&a}; struct S { int x; void *y[2]; }; device_global<S> q{1, nullptr, &p};\n\
         extern \"C\" SINGLE void k() { *static_cast<int *>(p.get()) = q.get().x; }\n",
        &[],
    );
    let kernel = function(&ir, Table::GLOBALS_KERNEL);
    assert!(kernel.contains("store ptr addrspace(4)"), "{kernel}");
    let source = "device_global<int> a;\nstatic device_global<int> *const table[] = {nullptr, &a};\n\
                  extern \"C\" SINGLE void k(int n) { table[n]->get() = 3; }\n";
    for output in [Output::Object, Output::Image(target())] {
        let log = shared().failed(&Compile { output, ..cxx20(source, &[]) });
        assert!(log.contains("error: the initial value of 'table' holds the address of a device_global"), "{log}");
    }
}

/// The block needs its kernel also where a source has no kernel of its own.
#[test]
fn device_globals_without_kernels() {
    let (built, ir) = built("device_global<int> a{5};\n", &[]);
    assert_eq!((built.table.kernels.len(), built.table.device_global_block), (0, 4));
    assert!(function(&ir, Table::GLOBALS_KERNEL).contains("store i32 5"), "{ir}");
    let linked = shared().linked(&[&object("device_global<int> a{5};\n")]);
    assert_eq!(linked.code, built.code);
}

/// G8: defined in one source and declared in another; and one that several sources define inline.
#[test]
fn device_globals_of_other_objects() {
    let definition = object(
        "SYCL_EXTERNAL device_global<int> x{3};\nSYCL_EXTERNAL inline device_global<int> y{4};\nextern \"C\" SINGLE void a(int v) { x = v; y = v; }\n",
    );
    let user = object(
        "SYCL_EXTERNAL extern device_global<int> x;\nSYCL_EXTERNAL inline device_global<int> y{4};\nextern \"C\" SINGLE void b(int *p) { p[0] = x; p[1] = y; }\n",
    );
    for objects in [[&definition, &user], [&user, &definition]] {
        let linked = shared().linked(&objects);
        validate(&linked.code);
        let mut symbols: Vec<_> = places(&linked.table).into_iter().map(|(symbol, _)| symbol).collect();
        symbols.sort_unstable();
        assert_eq!(symbols, ["x", "y"]);
        assert_eq!(linked.table.device_global_block, 8);
        let ir = shared().text(&linked.final_ir);
        assert!(!ir.contains("@x = ") && !ir.contains("@y = "), "{ir}");
    }
    // D1 is found on the tables; the program says so as well.
    let log = shared().link_failed(&[&user]);
    assert!(log.contains("undefined variable 'x'"), "{log}");
}

/// C12 for variables: equal names that are not exported are different variables, and the table tells them apart.
#[test]
fn device_globals_of_equal_name() {
    let make = |kernel: &str| {
        let source = format!(
            "static device_global<int> x; device_global<int> y; device_global<int, IMAGE_SCOPE> z;\nextern \"C\" SINGLE void {kernel}(int *p) {{ x = p[0]; y = p[1]; z = z + 1; p[2] = z; }}\n"
        );
        let request =
            Compile { output: Output::Object, registered_names: vec!["x".into(), "y".into()], ..cxx20(&source, &[]) };
        shared().built(&request)
    };
    let linked = shared().linked(&[&make("a"), &make("b")]);
    validate(&linked.code);
    assert_eq!(
        places(&linked.table),
        [("_ZL1x_0123abcd", 0), ("y", 4), ("z", 0), ("_ZL1x_0123abcd.1", 8), ("y.1", 12), ("z.1", 0)]
    );
    assert_eq!(linked.table.device_global_block, 16);
    // C15
    let names = [("x".to_owned(), "_ZL1x_0123abcd".to_owned()), ("y".to_owned(), "y".to_owned())];
    assert_eq!(linked.table.registered_names, names);
    let ir = shared().text(&linked.final_ir);
    let offsets = |kernel: &str| {
        let body = function(&ir, &format!("__sycl_kernel_{kernel}"));
        [8, 12].map(|offset| body.contains("@__syclrtc_device_globals") && body.contains(&format!("i64 {offset}")))
    };
    assert_eq!((offsets("a")[1], offsets("b")), (false, [true, true]), "{ir}");
    assert!(ir.contains("@z.0 = internal") && ir.contains("@z.1.0 = internal"), "{ir}");
}

/// Kernels of different `range_type` share the variables.
#[test]
fn kernels_of_different_limits_share_them() {
    let (built, ir) = built(
        "#define RANGE(T) SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclexp::range_type<T>)\n\
         device_global<int> x; device_global<int, IMAGE_SCOPE> y;\n\
         extern \"C\" RANGE(int) SINGLE void a(int *p) { x = *p; y = *p; }\nextern \"C\" SINGLE void b(int *p) { p[0] = x; p[1] = y; }\n",
        &[],
    );
    assert_eq!((places(&built.table), built.table.device_global_block), (vec![("x", 0), ("y", 0)], 4));
    assert_eq!(ir.matches("global i32 0").count(), 1, "{ir}");
}

/// G9: images of a bundle do not share a variable of image scope.
#[test]
fn image_scope_and_one_image_for_each_kernel() {
    let source = |uses: &str| {
        format!(
            "device_global<int, IMAGE_SCOPE> x; device_global<int> y;\nint helper() {{ return x; }}\n\
             extern \"C\" SINGLE void a(int *p) {{ y = *p; *p = helper(); }}\nextern \"C\" SINGLE void b(int *p) {{ *p = {uses}; }}\n"
        )
    };
    let split = |value: &str| format!("-fsycl-device-code-split={value}");
    let log = shared().failed(&cxx20(&source("x"), &[&split("per_kernel")]));
    assert!(log.contains("error: device_global 'x' has the property device_image_scope and is used by kernels of different images: 'a' and 'b'"), "{log}");
    let objects = object(&source("x"));
    assert_eq!(shared().linked(&[&objects]).table.kernels.len(), 2);
    for (uses, value) in [("y", "per_kernel"), ("x", "off"), ("x", "per_source"), ("x", "auto")] {
        let (built, _) = built(&source(uses), &[&split(value)]);
        assert_eq!(built.table.kernels.len(), 2);
    }
}

/// The kernel of initial values runs on every device.
#[test]
fn devices_without_double_have_the_others() {
    let source = "struct P { float x; double y; sycl::half z; }; struct Many { double v[100]; constexpr Many() : v() { v[7] = 1.5; } };\n\
                  device_global<double> a{2.5}; device_global<P> b{1.0f, 2.0, sycl::half(1.0f)}; device_global<int> c{7}; device_global<Many> d{};\n\
                  extern \"C\" SINGLE void k(int *p) { *p = c; }\nextern \"C\" SINGLE void l(double *p) { *p = a; }\n";
    let output = Output::Image(Target { aspects: Vec::new(), ..target() });
    let built = shared().built(&Compile { output, ..cxx20(source, &[]) });
    validate(&built.code);
    assert_eq!((built.table.kernels.len(), built.table.left_out.len(), built.table.device_globals.len()), (1, 1, 4));
    let ir = shared().text(&built.final_ir);
    assert!(!ir.contains("double") && !ir.contains("half "), "{ir}");
    let kernel = function(&ir, Table::GLOBALS_KERNEL);
    for bits in ["i64 4612811918334230528", "i64 4611686018427387904", "i16 15360", "i32 7"] {
        assert!(kernel.contains(bits), "{bits}: {kernel}");
    }
    assert!(ir.contains("i64 4609434218613702656"), "{ir}");
}
