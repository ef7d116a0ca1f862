// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Modules as bytes and back, copied, joined and printed.
//!
//! An object's bitcode may come from a file, and LLVM's reader trusts what it reads; so an object carries a hash of it. It
//! stands in the standard wrapper around bitcode, which LLVM's own tools skip.

use std::{
    ffi::{CStr, c_void},
    ptr,
};

use llvm_sys::{
    LLVMDiagnosticSeverity,
    analysis::{LLVMVerifierFailureAction, LLVMVerifyModule},
    bit_reader::LLVMParseBitcodeInContext2,
    bit_writer::LLVMWriteBitcodeToMemoryBuffer,
    core::*,
    linker::LLVMLinkModules2,
    prelude::{LLVMContextRef, LLVMDiagnosticInfoRef},
};

use super::{
    llvm::{Module, take_message},
    problems::Problems,
};

/// Begins a wrapper.
const WRAPPER_MAGIC: u32 = 0x0b17_c0de;
/// Magic, version, offset and size of the bitcode, processor: the fields that LLVM defines; and the hash.
const HEADER: usize = 5 * 4 + 8;

/// Puts the wrapper around an object.
pub fn wrap(bitcode: &[u8]) -> Vec<u8> {
    [&make_header(bitcode), bitcode].concat()
}

/// The bitcode of an object; nothing if it is not one that [`wrap`] made, as it was made.
fn unwrap(bytes: &[u8]) -> Option<&[u8]> {
    let (header, bitcode) = bytes.split_at_checked(HEADER)?;
    (header == make_header(bitcode)).then_some(bitcode)
}

fn make_header(bitcode: &[u8]) -> Vec<u8> {
    let fields = [WRAPPER_MAGIC, 0, HEADER as u32, bitcode.len() as u32, 0];
    fields.iter().flat_map(|field| field.to_le_bytes()).chain(hash(bitcode).to_le_bytes()).collect()
}

/// Tells damage, not malice. FNV-1a over words.
fn hash(bytes: &[u8]) -> u64 {
    let step = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    let (words, rest) = bytes.as_chunks::<8>();
    let hash = words.iter().fold(0xcbf2_9ce4_8422_2325, |hash, word| step(hash, u64::from_le_bytes(*word)));
    rest.iter().fold(hash, |hash, byte| step(hash, u64::from(*byte)))
}

/// Where LLVM's own errors go. Without it they end the process.
pub struct Errors {
    context: LLVMContextRef,
}

impl Errors {
    /// Collects the errors of a context from now on.
    pub fn collect(context: LLVMContextRef) -> Self {
        let list: *mut Vec<String> = Box::into_raw(Box::default());
        // SAFETY: the context lives, and the list lives as long, since neither is ever freed.
        unsafe { LLVMContextSetDiagnosticHandler(context, Some(keep_error), list.cast()) };
        Self { context }
    }

    /// Fails with what came in since the last call.
    ///
    /// # Errors
    /// These errors.
    pub fn check(&self) -> Result<(), Problems> {
        // SAFETY: the list of `collect`, which nothing borrows now, since LLVM calls the handler on this one thread.
        let list = unsafe { &mut *LLVMContextGetDiagnosticContext(self.context).cast::<Vec<String>>() };
        let mut problems = Problems::default();
        for text in std::mem::take(list) {
            problems.add(Default::default(), text);
        }
        problems.into_result()
    }

    /// What came in since the last call, as one text.
    fn take(&self) -> String {
        self.check().err().map_or_else(String::new, |problems| {
            let (_, list) = problems.into_log();
            list.into_iter().map(|diagnostic| diagnostic.text).collect::<Vec<_>>().join("; ")
        })
    }
}

extern "C" fn keep_error(info: LLVMDiagnosticInfoRef, list: *mut c_void) {
    // SAFETY: LLVM passes a diagnostic that lives for the call, and the list that was given to it.
    unsafe {
        if LLVMGetDiagInfoSeverity(info) == LLVMDiagnosticSeverity::LLVMDSError {
            let text = take_message(LLVMGetDiagInfoDescription(info));
            (*list.cast::<Vec<String>>()).push(text);
        }
    }
}

/// A context of its own for objects to be read into.
pub fn new_context() -> LLVMContextRef {
    // SAFETY: always sound.
    unsafe {
        let context = LLVMContextCreate();
        // As clang does: names of values would only make their way into images.
        LLVMContextSetDiscardValueNames(context, 1);
        context
    }
}

/// Reads the bitcode of an object.
///
/// # Errors
/// Why it is not one, in a clause that follows the object's name.
pub fn read_object(context: LLVMContextRef, errors: &Errors, bytes: &[u8]) -> Result<Module, String> {
    let bitcode = unwrap(bytes).ok_or("is damaged, or no object of this compiler")?;
    read(context, errors, bitcode)
}

/// Reads an object or other bitcode.
///
/// # Errors
/// As [`read_object`].
pub fn read_any(context: LLVMContextRef, errors: &Errors, bytes: &[u8]) -> Result<Module, String> {
    if bytes.starts_with(&WRAPPER_MAGIC.to_le_bytes()) {
        read_object(context, errors, bytes)
    } else {
        read(context, errors, bytes)
    }
}

/// Reads bitcode and verifies it.
///
/// # Errors
/// As [`read_object`].
fn read(context: LLVMContextRef, errors: &Errors, bitcode: &[u8]) -> Result<Module, String> {
    let mut raw = ptr::null_mut();
    // SAFETY: the bytes are copied; the out-pointer is valid; the buffer is no longer used after the reader returns.
    let failed = unsafe {
        let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bitcode.as_ptr().cast(), bitcode.len(), c"".as_ptr());
        let failed = LLVMParseBitcodeInContext2(context, buffer, &raw mut raw) != 0;
        LLVMDisposeMemoryBuffer(buffer);
        failed
    };
    let said = errors.take();
    if failed || !said.is_empty() {
        return Err(format!("is no valid bitcode: {said}"));
    }
    let module = Module::new(raw);
    module.verify().map_err(|text| format!("is no valid module: {text}"))?;
    Ok(module)
}

impl Module {
    /// Asks LLVM whether the module is sound.
    ///
    /// # Errors
    /// LLVM's message.
    pub fn verify(&self) -> Result<(), String> {
        let mut message = ptr::null_mut();
        // SAFETY: the module is live, the out-pointer valid, the message taken once.
        unsafe {
            let broken =
                LLVMVerifyModule(self.raw, LLVMVerifierFailureAction::LLVMReturnStatusAction, &raw mut message) != 0;
            let text = take_message(message);
            if broken { Err(text.trim_end().to_owned()) } else { Ok(()) }
        }
    }

    /// The module as bitcode.
    pub fn bitcode(&self) -> Vec<u8> {
        // SAFETY: the module is live; the buffer is read before it is freed.
        unsafe {
            let buffer = LLVMWriteBitcodeToMemoryBuffer(self.raw);
            let start = LLVMGetBufferStart(buffer).cast::<u8>();
            let bytes = std::slice::from_raw_parts(start, LLVMGetBufferSize(buffer)).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            bytes
        }
    }

    /// The module as readable text.
    pub fn text(&self) -> String {
        // SAFETY: the module is live; the message is taken once.
        unsafe { take_message(LLVMPrintModuleToString(self.raw)) }
    }

    /// A copy in the same context.
    pub fn copy(&self) -> Module {
        // SAFETY: the module is live.
        Module::new(unsafe { LLVMCloneModule(self.raw) })
    }

    /// Takes everything of `other`, which is used up.
    ///
    /// # Errors
    /// LLVM's messages.
    pub fn absorb(&self, other: Module, errors: &Errors) -> Result<(), Problems> {
        // SAFETY: both are live modules of one context; nothing uses `other` after this.
        let failed = unsafe { LLVMLinkModules2(self.raw, other.raw) } != 0;
        errors.check()?;
        if failed { Err(Problems::internal("linking failed")) } else { Ok(()) }
    }

    /// Triple and data layout.
    pub fn layout(&self) -> (String, String) {
        // SAFETY: the module is live and owns both texts.
        unsafe {
            let text = |data| CStr::from_ptr(data).to_string_lossy().into_owned();
            (text(LLVMGetTarget(self.raw)), text(LLVMGetDataLayoutStr(self.raw)))
        }
    }
}
