// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What is found in generated code, as text and as data.

use crate::support::*;
use syclrtc_protocol::{Compile, Diagnostic, Location, Output, Reply, Severity};

fn failure(request: &Compile) -> (String, Vec<Diagnostic>) {
    match shared().reply(request) {
        Reply::Failed { log, diagnostics } => (log, diagnostics),
        other => panic!("{other:?}"),
    }
}

/// With debug information, what stands in the code has a place; without it, the place is left open.
#[test]
fn problems_are_diagnostics() {
    for (body, text, line) in [
        ("throw 1;", "exceptions cannot be used in device code (used in '__sycl_kernel_k')", 6),
        ("*p = nowhere(1);", "undefined function 'nowhere(int)' (used in '__sycl_kernel_k')", 6),
        ("asm volatile(\"nop\");", "inline assembly cannot be used in device code (used in '__sycl_kernel_k')", 6),
    ] {
        let source = with_head(&format!("int nowhere(int);\nextern \"C\" SINGLE void k(int *p) {{\n{body}\n}}\n"));
        for output in [Output::Object, Output::Image(target())] {
            let request = Compile { output, ..request(&source) };
            let (log, diagnostics) = failure(&request);
            let found = diagnostics.iter().find(|row| row.text.starts_with(text)).unwrap_or_else(|| panic!("{log}"));
            assert_eq!((found.severity, &found.location), (Severity::Error, &Location::default()), "{log}");
            assert!(log.contains(&format!("error: {}\n", found.text)), "{log}");
            let (log, diagnostics) = failure(&Compile { options: vec!["-g".into()], ..request });
            let found = diagnostics.iter().find(|row| row.text.starts_with(text)).unwrap_or_else(|| panic!("{log}"));
            let place = &found.location;
            assert_eq!((place.file.as_str(), place.line), ("rtc_0.cpp", line), "{log}");
            assert!(log.contains(&format!("rtc_0.cpp:{}:{}: error: {}\n", line, place.column, found.text)), "{log}");
        }
    }
}
