// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Device globals. Ids in comments are rules of section 10 of `device`.

use crate::support::*;
use syclrtc_protocol::{Compile, DeviceGlobal, SymbolKind};

/// Lines of user text start at 5.
fn text(text: &str) -> String {
    with_head(&format!("using syclexp::device_global;\n{text}"))
}

fn cxx20(source: &str) -> Compile {
    with_options(&text(source), &["-std=c++20"])
}

fn global(name: &str, symbol: &str, size: u64, align: u64) -> DeviceGlobal {
    DeviceGlobal { name: name.into(), symbol: symbol.into(), size, align, offset: 0, image_scope: false }
}

#[test]
fn all_forms_are_in_the_table() {
    // G1; also those that nothing uses
    let source = text(
        "device_global<int> a;\nstatic device_global<short> b;\ninline device_global<double> c;\n\
         namespace ns { device_global<int[3]> d; namespace { device_global<char> e; } inline namespace v1 { device_global<int> f; } }\n\
         struct S { static device_global<int> g; static inline device_global<long> h; };\ndevice_global<int> S::g;\n\
         struct alignas(64) Big { char bytes[100]; };\ndevice_global<Big> i;\n\
         template <class T> device_global<T> j;\ntemplate device_global<int> j<int>;\n\
         template <class T> struct U { static inline device_global<T> k; };\ntemplate struct U<int>;\n\
         extern device_global<int> l;\nSYCL_EXTERNAL extern device_global<int> m;\n\
         device_global<int, decltype(syclexp::properties(syclexp::device_image_scope))> n;\n\
         alignas(32) device_global<char> o;\n",
    );
    let built = shared().built(&object_of(&source));
    let mut rows = built.table.device_globals.clone();
    rows.sort_by(|x, y| x.name.cmp(&y.name));
    let scoped = DeviceGlobal { image_scope: true, ..global("n", "n", 4, 4) };
    let mut expected = vec![
        global("a", "a", 4, 4),
        global("b", "_ZL1b_0123abcd", 2, 2),
        global("c", "c", 8, 8),
        global("ns::d", "_ZN2ns1dE", 12, 4),
        global("ns::e", "_ZN2ns12_GLOBAL__N_11eE_0123abcd", 1, 1),
        global("ns::f", "_ZN2ns2v11fE", 4, 4),
        global("S::g", "_ZN1S1gE", 4, 4),
        global("S::h", "_ZN1S1hE", 8, 8),
        global("i", "i", 128, 64),
        global("j<int>", "_Z1jIiE", 4, 4),
        global("U<int>::k", "_ZN1UIiE1kE", 4, 4),
        scoped,
        global("o", "o", 1, 32),
    ];
    expected.sort_by(|x, y| x.name.cmp(&y.name));
    assert_eq!(rows, expected);
    let ir = shared().text(&built.code);
    for row in rows {
        assert!(ir.contains(&format!("@{} = ", row.symbol)), "{} in {ir}", row.symbol);
    }
}

#[test]
fn external_ones_are_exports_and_imports() {
    // G8
    let object = |source: &str| shared().built(&object_of(&text(source)));
    let definition = object("SYCL_EXTERNAL device_global<int> x;\nSINGLE void set(int v) { x = v; }\n");
    let user = object("SYCL_EXTERNAL extern device_global<int> x;\nSINGLE void get(int *p) { *p = x; }\n");
    let exports: Vec<_> = definition.table.exports.iter().map(|e| (e.symbol.as_str(), e.kind)).collect();
    assert_eq!(exports, [("x", SymbolKind::Variable)]);
    let imports: Vec<_> = user.table.imports.iter().map(|i| (i.symbol.as_str(), i.kind)).collect();
    assert_eq!(imports, [("x", SymbolKind::Variable)]);
    let linked = shared().linked(&[&definition, &user]);
    validate(&linked.code);
    assert_eq!(linked.table.device_globals.len(), 1);
    assert_eq!(linked.table.kernels.len(), 2);
}

#[test]
fn kernels_use_them_like_the_value() {
    // G3, G5, G6
    let source = text(
        "struct P { int x, y; };\n\
         device_global<int> a; device_global<int[4]> b; device_global<P> c; device_global<int *> d; device_global<const int> e;\n\
         device_global<std::array<int, 4>> f; device_global<P *> g;\n\
         static_assert(std::is_same_v<device_global<int[4]>::element_type, int>);\n\
         static_assert(sizeof(device_global<P>) == sizeof(P) && alignof(device_global<double>) == alignof(double));\n\
         using Scoped = device_global<int, decltype(syclexp::properties(syclexp::device_image_scope, syclexp::host_access_read))>;\n\
         static_assert(Scoped::has_property<syclexp::device_image_scope_key>() && Scoped::has_property<syclexp::host_access_key>());\n\
         static_assert(!device_global<int>::has_property<syclexp::host_access_key>());\n\
         static_assert(Scoped::get_property<syclexp::host_access_key>() == syclexp::host_access_read);\n\
         static_assert(!std::is_copy_assignable_v<device_global<int>> && !std::is_move_constructible_v<device_global<int>>);\n\
         static_assert(std::is_copy_constructible_v<device_global<const int>> && !std::is_assignable_v<device_global<const int>, int>);\n\
         SINGLE void k(int *p) {\n\
           a = 1; a += 2; ++a; p[0] = a; p[1] = a.get(); int &r = a; r = 5;\n\
           b[1] = 7; p[2] = b[1]; c.get().x = 3; p[3] = c.get().y; d = p; p[4] = *d; p[5] = e + 1; f[2] = 1; p[6] = f[2] + d[1];\n\
           p[7] = g->x; c = P{1, 2}; const auto &n = c; p[8] = n.get().x;\n\
           sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(a) += 1;\n\
         }\n",
    );
    for options in [&["-std=c++17"][..], &["-std=c++20"]] {
        let built = shared().built(&with_options(&source, options));
        assert_eq!((built.table.device_globals.len(), built.log.as_str()), (7, ""));
        validate(&built.code);
    }
}

#[test]
fn properties_are_taken() {
    // G7: only the scope makes a difference
    let source = text(
        "#define WITH(name, ...) device_global<int, decltype(syclexp::properties(__VA_ARGS__))> name;\n\
         WITH(a, syclexp::host_access_read) WITH(b, syclexp::host_access_write) WITH(c, syclexp::host_access_read_write)\n\
         WITH(d, syclexp::host_access_none) WITH(e, syclexp::init_mode_reset) WITH(f, syclexp::init_mode_reprogram)\n\
         WITH(g, syclexp::implement_in_csr_on, syclexp::device_image_scope) WITH(h, syclexp::implement_in_csr_off)\n\
         static_assert(decltype(g)::get_property<syclexp::implement_in_csr_key>().value);\n\
         static_assert(decltype(a)::get_property<syclexp::host_access_key>().value == syclexp::host_access_enum::read);\n",
    );
    let table = shared().built(&request(&source)).table;
    let scoped: Vec<_> = table.device_globals.iter().filter(|g| g.image_scope).map(|g| g.name.as_str()).collect();
    assert_eq!((table.device_globals.len(), scoped.as_slice()), (8, &["g"][..]));
}

#[test]
fn initial_values() {
    // G2, G4
    let built = shared().built(&cxx20(
        "struct P { int x; float y; };\n\
         device_global<int> a{5}; device_global<int> b(6); device_global<float> c{7}; device_global<int[3]> d{1, 2, 3};\n\
         device_global<P> e{1, 2.0f}; device_global<P> f{P{3, 4.0f}}; constexpr device_global<int> g{8}; device_global<int> h{g};\n\
         device_global<long> i{g}; device_global<int> j; struct C { int v; constexpr C(int a, int b) : v(a + b) {} };\n\
         device_global<C> l{1, 2};\n",
    ));
    assert_eq!(built.table.device_globals.len(), 11);
    let object = Compile {
        output: syclrtc_protocol::Output::Object,
        ..cxx20("device_global<int> a{5}; constexpr device_global<int> g{8}; device_global<long> i{g};")
    };
    let ir = shared().text(&shared().built(&object).code);
    let line = |name: &str| ir.lines().find(|line| line.starts_with(&format!("@{name} = "))).unwrap_or_default();
    assert!(line("a").contains("i32 5") && line("i").contains("i64 8"), "{ir}");
    // A copy of one that is no constant has its initial value too.
    let copies = "device_global<int> a{5}; namespace n { device_global<int> b{a}; } struct S { static inline device_global<int> c = n::b; };";
    let object = Compile { output: syclrtc_protocol::Output::Object, ..cxx20(copies) };
    let ir = shared().text(&shared().built(&object).code);
    for name in ["a", "_ZN1n1bE", "_ZN1S1cE"] {
        let line = ir.lines().find(|line| line.starts_with(&format!("@{name} = "))).unwrap_or_default();
        assert!(line.contains("i32 5"), "{name}: {ir}");
    }
    shared().built(&request(&text("device_global<int> a, b{a}, c = a;\nSINGLE void k(int *p) { *p = a + b + c; }\n")));
    // Without a constant initial value there is an error, not code that nobody runs.
    let log = shared().failed(&cxx20("int f();\ndevice_global<int> a{f()};\n"));
    assert!(log.contains("rtc_0.cpp:6:20: error: "), "{log}");
    // Before C++20 there is only zero.
    let log = shared().failed(&request(&text("device_global<int> a{5};\n")));
    assert!(log.contains("rtc_0.cpp:5:20: error: "), "{log}");
    let log = shared().failed(&request(&text("struct N { N() : x(1) {} int x; };\ndevice_global<N> a;\n")));
    assert!(log.contains("trivially default constructible"), "{log}");
    let log = shared().failed(&cxx20("struct N { ~N() {} };\ndevice_global<N> a;\n"));
    assert!(log.contains("trivially destructible"), "{log}");
}

#[test]
fn places_where_none_can_be() {
    // G1
    for (source, words) in [
        (
            "SINGLE void k() { device_global<int> x; }",
            "rtc_0.cpp:5:38: error: device_global 'x' cannot be a local variable",
        ),
        ("SINGLE void k() { static device_global<int> x; }", "device_global 'x' cannot be a local variable"),
        (
            "template <class T> void f() { device_global<T> x; }\nSINGLE void k() { f<int>(); }",
            "device_global 'x' cannot be a local variable",
        ),
        ("void f(device_global<int> x) {}", "device_global 'x' cannot be a parameter"),
        ("device_global<int> x[2];", "rtc_0.cpp:5:20: error: 'x' cannot be an array of device_global"),
        ("struct S { device_global<int> x; };", "device_global 'x' cannot be a non-static data member"),
        (
            "template <class T> struct S { device_global<T> x[2]; };\nS<int> s();\nusing T = decltype(S<int>::x);",
            "cannot be a non-static data member",
        ),
        (
            "class S { static inline device_global<int> x; };",
            "device_global 'x' is a static data member that is not public",
        ),
        ("void f() { new device_global<int>; }", "a device_global cannot be made by 'new'"),
        ("thread_local device_global<int> x;", "thread"),
        (
            "inline namespace n { int x; }\ndevice_global<int> x;",
            "device_global 'x' is hidden by another declaration of its name in an inline namespace",
        ),
        ("namespace a { inline namespace n { device_global<int> x; } int x; }", "is hidden by another declaration"),
        (
            "device_global<char[1ul << 33]> x;",
            "device_global 'x' takes 8589934592 bytes, and at most 4294967295 can be had",
        ),
        ("alignas(256) device_global<int> x;", "device_global 'x' asks for an alignment of more than 128 bytes"),
        ("device_global<int> a; SINGLE void k() { a = device_global<int>(a); }", "deleted"),
    ] {
        let log = shared().failed(&request(&text(source)));
        assert!(log.contains(words), "{source}: {log}");
    }
    // References and pointers to one are not one.
    shared().built(&request(&text(
        "device_global<int> x; namespace n { device_global<int> x; }\n\
         void set(device_global<int> &g, device_global<int> *h) { g = 1; *h = 2; device_global<int> &r = g; r = 3; }\n\
         SINGLE void k() { set(x, &n::x); }\n",
    )));
}
