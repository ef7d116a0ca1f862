// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The compiler program as its client sees it.

mod aspects;
mod code_problems;
mod compile;
mod dependencies;
mod device_globals;
mod device_globals_code;
mod diagnostics;
mod external;
mod faults;
mod includes;
mod link;
mod names;
mod options;
mod preamble_sequences;
mod preambles;
mod precompiled;
mod properties;
mod range_type;
mod range_type_code;
mod rejected_options;
mod support;
