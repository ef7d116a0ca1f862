// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The compiler program as its client sees it.

mod compile;
mod diagnostics;
mod faults;
mod includes;
mod link;
mod options;
mod support;
