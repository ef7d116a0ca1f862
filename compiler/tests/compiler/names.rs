// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Registered names, raw names, and what is unique to a compilation. Ids in comments are rules of section 7 of
//! `kernel-compiler` (N) and of `names-and-linking` (A).

use crate::support::*;
use syclrtc_protocol::{Built, Compile};

fn registered(built: &Built) -> Vec<&str> {
    built.table.registered_names.iter().map(|(_, symbol)| symbol.as_str()).collect()
}

/// What the names stand for in a source; it builds without a word.
fn symbols(source: &str, names: &[&str]) -> Vec<String> {
    let built = shared().built(&with_names(&with_head(source), names));
    assert_eq!(built.log, "");
    assert_eq!(built.table.registered_names.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), names);
    registered(&built).into_iter().map(str::to_owned).collect()
}

const SOURCE: &str = "namespace ns { SINGLE void k(int *p) { *p = 1; } template <class T, int N = 1> SINGLE void t(T *p) { *p = N; } }\n\
     SINGLE void over(int *p) { *p = 1; }\nSINGLE void over(float *p) { *p = 2; }\n\
     namespace { SINGLE void hidden(int *p) { *p = 3; } }\n#define MACRO ns::k\nusing ns::t;\n\
     struct S { SINGLE static void member(int *p) { *p = 4; } };\n\
     syclexp::device_global<int> g; namespace ns { static syclexp::device_global<int> h; struct C { static inline syclexp::device_global<long> m; }; }\n";

#[test]
fn expressions_that_name_kernels() {
    // N1, N2, N3, N5, N6
    assert_eq!(
        symbols(
            SOURCE,
            &[
                "ns::k",
                "&ns::k",
                "::ns::k",
                " ns :: k ",
                "(ns::k)",
                "MACRO",
                "(void (*)(float *))over",
                "static_cast<void (*)(int *)>(over)",
                "t<float>",
                "&ns::t<int, 7>",
                "ns::t<int, 3 + 4>",
                "hidden",
                "S::member",
                "ns::k // the kernel",
                "ns::k /* the kernel */",
            ]
        ),
        [
            "_ZN2ns15__sycl_kernel_kEPi",
            "_ZN2ns15__sycl_kernel_kEPi",
            "_ZN2ns15__sycl_kernel_kEPi",
            "_ZN2ns15__sycl_kernel_kEPi",
            "_ZN2ns15__sycl_kernel_kEPi",
            "_ZN2ns15__sycl_kernel_kEPi",
            "_Z18__sycl_kernel_overPf",
            "_Z18__sycl_kernel_overPi",
            "_ZN2ns15__sycl_kernel_tIfLi1EEEvPT_",
            "_ZN2ns15__sycl_kernel_tIiLi7EEEvPT_",
            "_ZN2ns15__sycl_kernel_tIiLi7EEEvPT_",
            "_ZN12_GLOBAL__N_120__sycl_kernel_hiddenEPi_0123abcd",
            "_ZN1S20__sycl_kernel_memberEPi",
            "_ZN2ns15__sycl_kernel_kEPi",
            "_ZN2ns15__sycl_kernel_kEPi",
        ]
    );
}

#[test]
fn expressions_that_name_device_globals() {
    // N9
    assert_eq!(
        symbols(SOURCE, &["g", "&g", "ns::h", "& ns::h", "ns::C::m", "ns::k"]),
        ["g", "g", "_ZN2nsL1hE_0123abcd", "_ZN2nsL1hE_0123abcd", "_ZN2ns1C1mE", "_ZN2ns15__sycl_kernel_kEPi"]
    );
}

#[test]
fn strings_that_name_nothing_are_shown() {
    // N4
    let source = with_head(&format!(
        "{SOURCE}void plain() {{}}\nint variable;\nSINGLE void declared(int *);\nextern syclexp::device_global<int> undefined;\n"
    ));
    for (name, words) in [
        ("nope", "use of undeclared identifier 'nope'"),
        ("over", "= (over);"),
        ("plain", "attempting to register a function that is not a SYCL free function as 'plain'"),
        ("variable", "attempting to register a variable that is not a device_global as 'variable'"),
        ("declared", "attempting to register a function that is not a SYCL free function as 'declared'"),
        ("undefined", "attempting to register a variable that is not a device_global as 'undefined'"),
        ("t", "= (t);"),
        ("t<nosuch>", "nosuch"),
        ("1 +", "expected expression"),
        ("42", "as '42'"),
        ("S::member(nullptr)", "S::member(nullptr)"),
        ("", "registered name '' is no expression: it is empty"),
        ("// nothing", "it is empty"),
        ("ns::k); int evil = (0", "it closes a bracket that it did not open"),
        ("ns::k\n#define X\n", "it holds a preprocessor directive"),
        ("ns::k; ns::k", "ns::k; ns::k"),
        ("ns::k /* open", "unterminated /* comment"),
        ("\"open", "\"open"),
    ] {
        let log = shared().failed(&with_names(&source, &[name]));
        assert!(log.contains(words), "{name}: {log}");
    }
    let log = shared().failed(&with_names(&source, &["ns::k", "nope", "plain"]));
    assert!(log.contains("registered_names:2:28: error: use of undeclared identifier 'nope'"), "{log}");
}

#[test]
fn a_name_of_a_megabyte_is_refused_at_once() {
    let began = std::time::Instant::now();
    let log = shared().failed(&with_names(&with_head(SOURCE), &[&"ns::k + ".repeat(1 << 17)]));
    assert!(log.contains("registered name of 1048576 bytes, more than 65536: 'ns::k + ns::k"), "{log}");
    assert!(log.len() < 1000 && began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    // The longest that is taken is taken.
    let longest = format!("{}ns::k", " ".repeat(65536 - 5));
    assert_eq!(symbols(SOURCE, &[&longest]), ["_ZN2ns15__sycl_kernel_kEPi"]);
    let log = shared().failed(&with_names(&with_head(SOURCE), &[&"(".repeat(65536)]));
    assert!(log.contains("bracket nesting level exceeded"), "{}", &log[..log.len().min(2000)]);
}

#[test]
fn registering_changes_no_other_kernel() {
    // N7, N8
    let source = with_head("SINGLE void a(int *p) { *p = 1; }\nSINGLE void b(int *p) { *p = 2; }\n");
    let without = shared().built(&request(&source));
    let with = shared().built(&with_names(&source, &["a", "&b"]));
    assert_eq!(without.code, with.code);
    assert_eq!(without.table.kernels, with.table.kernels);
    kernel(&without, "_Z15__sycl_kernel_bPi");
}

#[test]
fn names_of_one_source_are_apart() {
    // A15, A16
    let built = shared().built(&request(&with_head(
        "SINGLE void k(int *p) { *p = 1; }\nSINGLE void k(float *p) { *p = 2; }\nnamespace a { SINGLE void k(int *p) { *p = 3; } }\n\
         namespace b { namespace { SINGLE void k(int *p) { *p = 4; } } }\nextern \"C\" SINGLE void c(int *p) { *p = 5; }\n",
    )));
    let mut names: Vec<_> = built.table.kernels.iter().map(|kernel| kernel.raw_name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 5);
    assert_eq!(kernel(&built, "__sycl_kernel_c").plain_name.as_deref(), Some("c"));
}

#[test]
fn internal_names_carry_the_compilation_and_external_ones_do_not() {
    // A3, A4, A11, A12, A13, A14
    let source = |constant: u32| {
        with_head(&format!(
            "static int helper() {{ return {constant}; }}\nnamespace {{ struct T {{ int v[{constant}]; }}; }}\n\
             template <class U> SINGLE void t(int *p) {{ *p = sizeof(U); }}\nSINGLE static void s(int *p) {{ *p = helper(); }}\n\
             SINGLE void e(int *p) {{ struct Local {{ int f() {{ return {constant}; }} }}; auto l = [] {{ return {constant}; }}; *p = Local().f() + l(); }}\n"
        ))
    };
    let build = |constant, unit_id: &str| {
        shared().built(&Compile { unit_id: unit_id.into(), ..with_names(&source(constant), &["t<T>", "s", "e"]) })
    };
    let (a, b) = (build(1, "aa"), build(2, "bb"));
    for (index, internal) in [true, true, false].into_iter().enumerate() {
        let (x, y) = (registered(&a)[index], registered(&b)[index]);
        assert_eq!(
            x.ends_with("_aa") && y.ends_with("_bb") && x.trim_end_matches("_aa") == y.trim_end_matches("_bb"),
            internal,
            "{x} {y}"
        );
        assert_eq!(x == y, !internal);
    }
    // Equal input, equal output.
    let again = build(1, "aa");
    assert_eq!((a.code, a.table), (again.code, again.table));
    // Options do not change the names of what others see.
    let options = Compile { options: vec!["-O0".into(), "-g".into()], ..with_names(&source(1), &["e"]) };
    assert_eq!(registered(&shared().built(&options)), ["_Z15__sycl_kernel_ePi"]);
}

#[test]
fn local_things_of_two_objects_stay_apart() {
    // A1, A3, A4, A18: linked, each kernel runs its own body
    let object = |constant: u32, unit_id: &str| {
        let source = with_head(&format!(
            "namespace {{ struct T {{ int v[{constant}]; }}; }}\ntemplate <class U> SINGLE void t(int *p) {{ *p = sizeof(U); }}\n\
             SINGLE static void s(int *p) {{ *p = {constant}; }}\n"
        ));
        shared().built(&Compile {
            unit_id: unit_id.into(),
            registered_names: vec!["t<T>".into(), "s".into()],
            ..object_of(&source)
        })
    };
    let (a, b) = (object(11, "aa"), object(22, "bb"));
    let linked = shared().linked(&[&a, &b]);
    let ir = shared().text(&linked.final_ir);
    for (built, constant) in [(&a, 11), (&b, 22)] {
        let [t, s] = registered(built)[..] else { panic!() };
        assert!(function(&ir, t).contains(&format!("store i32 {},", 4 * constant)), "{ir}");
        assert!(function(&ir, s).contains(&format!("store i32 {constant},")), "{ir}");
    }
}
