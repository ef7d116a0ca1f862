// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Objects, and images linked of them. Ids in comments are rules of `names-and-linking`.

use crate::support::*;
use syclrtc_protocol::{Compile, Output, Reply, Table};

/// Lines of user text start at 5.
const HEAD: &str = "#include <sycl/sycl.hpp>\nnamespace syclexp = sycl::ext::oneapi::experimental;\n\
                    #define SINGLE SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclexp::single_task_kernel)\n\
                    #define KERNEL extern \"C\" SINGLE void\n";

fn source(text: &str) -> Compile {
    Compile { output: Output::Object, ..request(&format!("{HEAD}{text}")) }
}

fn raw_names(table: &Table) -> Vec<&str> {
    table.kernels.iter().map(|kernel| kernel.raw_name.as_str()).collect()
}

/// B3: a linked object is the image that the source builds to.
#[test]
fn one_object_links_to_what_its_source_builds_to() {
    let compiler = shared();
    let text = "static int twice(int x) { return 2 * x; }\nKERNEL k(int *p) { *p = twice(*p); }\n\
                template <class T> SINGLE void t(T *p) { *p = T(twice(3)); }\n";
    let object = Compile { registered_names: vec!["t<float>".into()], ..source(text) };
    let image = compiler.built(&Compile { output: Output::Image(target()), ..object.clone() });
    let object = compiler.built(&object);
    assert!(object.final_ir.is_empty() && !object.code.is_empty());
    let linked = compiler.linked(&[&object]);
    assert_eq!(linked.table, image.table);
    assert_eq!(linked.code, image.code);
    validate(&linked.code);
    assert_eq!(linked.table.registered_names, [("t<float>".to_owned(), "_Z15__sycl_kernel_tIfEvPT_".to_owned())]);
}

/// C1, C10, C12: kernels of all objects are there; local functions and ones that are not exported use their own.
#[test]
fn objects_that_need_nothing_of_each_other() {
    let compiler = shared();
    let text = |n| {
        format!(
            "static int local() {{ return {n}; }}\nnamespace {{ int hidden() {{ return 10 + {n}; }} }}\n\
             __attribute__((noinline)) int helper() {{ return 20 + {n}; }}\nstatic const int table[] = {{{n}, 2, 3}};\n\
             KERNEL k{n}(int *p) {{ p[0] = local(); p[1] = hidden(); p[2] = helper(); p[3] = table[p[4]]; }}\n"
        )
    };
    let a = compiler.built(&source(&text(1)));
    let b = compiler.built(&source(&text(2)));
    let linked = compiler.linked(&[&a, &b]);
    validate(&linked.code);
    assert_eq!(raw_names(&linked.table), ["__sycl_kernel_k1", "__sycl_kernel_k2"]);
    let ir = compiler.text(&linked.final_ir);
    for n in [1, 2] {
        let body = function(&ir, &format!("__sycl_kernel_k{n}"));
        for value in [n, 10 + n, 20 + n] {
            assert!(body.contains(&format!("store i32 {value},")), "{body}");
        }
    }
    assert!(ir.contains("[3 x i32] [i32 1, i32 2, i32 3]") && ir.contains("[3 x i32] [i32 2, i32 2, i32 3]"), "{ir}");
}

/// C26: what `compile` can find, it reports.
#[test]
fn an_undefined_function_that_is_not_external_is_an_error_of_compile() {
    let compiler = shared();
    let log = compiler.failed(&source("int nowhere(int);\nKERNEL k(int *p) { *p = nowhere(1); }\n"));
    assert!(log.contains("undefined function 'nowhere(int)' (used in"), "{log}");
}

/// What a user may have saved and changed is an error and not a crash.
#[test]
fn damaged_objects_are_refused() {
    let compiler = shared();
    let good = compiler.built(&source("KERNEL k(int *p) { *p = 1; }\n"));
    let length = good.code.len();
    let mut damaged: Vec<Vec<u8>> = vec![Vec::new(), b"text".to_vec(), good.code[..length / 2].to_vec()];
    damaged.push([&good.code[..], b"tail"].concat());
    for at in [0, 4, 8, 12, 16, 20, 24, 28, length / 3, length / 2, length - 1] {
        let mut bytes = good.code.clone();
        bytes[at] ^= 0x10;
        damaged.push(bytes);
    }
    for code in damaged {
        let log = compiler.link_failed(&[&syclrtc_protocol::Built { code, ..good.clone() }]);
        assert!(log.starts_with("error: bundle 0 (rtc_0.cpp): is damaged, or no object of this compiler"), "{log}");
    }
    // D13: the next link is none the worse for it.
    validate(&compiler.linked(&[&good]).code);
}

#[test]
fn an_object_has_to_be_what_its_table_says() {
    let compiler = shared();
    let one = compiler.built(&source("KERNEL one(int *p) { *p = 1; }\n"));
    let two = compiler.built(&source("KERNEL two(int *p) { *p = 1; }\n"));
    let log = compiler.link_failed(&[&syclrtc_protocol::Built { code: two.code, ..one }]);
    assert!(log.contains("bundle 0 (rtc_0.cpp): does not define kernel '__sycl_kernel_one'"), "{log}");
}

/// D6: also where the tables were not looked at.
#[test]
fn a_kernel_of_two_objects_is_an_error() {
    let compiler = shared();
    let object = compiler.built(&source("KERNEL k(int *p) { *p = 1; }\n"));
    let log = compiler.link_failed(&[&object, &object]);
    assert!(log.contains("Conflicting kernel definitions:  __sycl_kernel_k in bundle 0"), "{log}");
}

/// C18: the highest level counts.
#[test]
fn objects_of_different_levels_link_at_the_highest() {
    let compiler = shared();
    let make = |name: &str, options: &[&str]| {
        let text = format!(
            "__attribute__((noinline)) int f(int x) {{ return x; }}\nKERNEL {name}(int *p) {{ *p = f(*p); }}\n"
        );
        let options = options.iter().map(|&option| option.into()).collect();
        compiler.built(&Compile { options, ..source(&text) })
    };
    let slow = make("slow", &["-O0", "-g"]);
    let fast = make("fast", &["-O3"]);
    assert_eq!((slow.table.optimization_level, fast.table.optimization_level), (0, 3));
    for objects in [[&slow, &fast], [&fast, &slow]] {
        let linked = compiler.linked(&objects);
        assert_eq!(linked.table.optimization_level, 3);
        validate(&linked.code);
    }
}

#[test]
fn readable_code_is_of_objects_and_images_and_of_nothing_else() {
    let compiler = shared();
    let object = compiler.built(&source("KERNEL k(int *p) { *p = 1; }\n"));
    let image = compiler.linked(&[&object]);
    for code in [&object.code, &image.final_ir] {
        assert!(compiler.text(code).contains("define"), "{}", compiler.text(code));
    }
    match compiler.ask(&syclrtc_protocol::Request::Disassemble(b"no code".to_vec())) {
        Reply::Failed { log, diagnostics } => {
            assert!(log.starts_with("error: the code is no valid bitcode"), "{log}");
            assert_eq!(diagnostics.len(), 1);
        }
        other => panic!("{other:?}"),
    }
}
