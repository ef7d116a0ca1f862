// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Requests to the compiler program, and its answers as results.

use std::{
    env, fs,
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use syclrtc_protocol::{self as protocol, Built, Compile, Output, Reply, Request, TargetFormat, TimeTrace};

use super::{build::BuildOptions, job::cancelled, kernel_bundle::Source};
use crate::{
    compiler::{CompileError, client},
    error::{Error, Result},
    image::Target,
    os::cancel::Cancel,
};

/// First line of a message about a source that does not compile; programs look for it.
pub(super) const COMPILATION_FAILED: &str = "Device compilation failed";
/// First line of a message about an option; programs look for it.
const ARGUMENTS_FAILED: &str = "Parsing of user arguments failed";
/// First line of a message about objects that cannot be linked.
pub(super) const LINK_FAILED: &str = "Device link failed";

/// `rtc_<n>.cpp`: n counts the compiles and builds of the process.
pub(super) fn next_main_name() -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    format!("rtc_{}.cpp", NUMBER.fetch_add(1, Ordering::Relaxed))
}

pub(super) fn request(source: &Source, options: &BuildOptions, main_name: &str, output: Output) -> Compile {
    let mut registered_names: Vec<String> = Vec::with_capacity(options.registered_names.len());
    for name in &options.registered_names {
        if !registered_names.contains(name) {
            registered_names.push(name.clone());
        }
    }
    let include_files = source.include_files.iter();
    let mut request = Compile {
        main_name: main_name.to_owned(),
        source: source.text.clone(),
        include_files: include_files
            .map(|file| protocol::IncludeFile { name: file.name.clone(), content: file.content.clone() })
            .collect(),
        options: options.options.iter().filter(|option| !option.is_empty()).cloned().collect(),
        registered_names,
        working_directory: working_directory(),
        unit_id: String::new(),
        reuse: true,
        output,
    };
    request.unit_id = unit_id(&request);
    request
}

fn working_directory() -> String {
    match env::current_dir().map(|path| path.into_os_string().into_string()) {
        Ok(Ok(path)) => path,
        Ok(Err(path)) => {
            log::warn!("the current directory is not UTF-8 and is not searched for headers: {}", path.display());
            String::new()
        }
        Err(error) => {
            log::warn!("there is no current directory to search for headers: {error}");
            String::new()
        }
    }
}

/// Equal for equal input and different otherwise. Every field goes in with its length, every list with its count, so
/// that no two requests give the same bytes. Names that do not change the code of the source stay out: the main file's,
/// and those that are only registered.
fn unit_id(request: &Compile) -> String {
    let mut hash = blake3::Hasher::new_derive_key("syclrtc 0 unit id");
    let mut field = |bytes: &[u8]| {
        hash.update(&(bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    field(env!("CARGO_PKG_VERSION").as_bytes());
    field(&request.source);
    field(&(request.include_files.len() as u64).to_le_bytes());
    for file in &request.include_files {
        field(file.name.as_bytes());
        field(&file.content);
    }
    field(&(request.options.len() as u64).to_le_bytes());
    for option in &request.options {
        field(option.as_bytes());
    }
    match &request.output {
        Output::Object => field(b"object"),
        Output::Image(Target { format: TargetFormat::Spirv { version: (major, minor), extensions }, aspects }) => {
            field(b"spirv");
            field(&[*major, *minor]);
            field(&(extensions.len() as u64).to_le_bytes());
            for extension in extensions {
                field(extension.as_bytes());
            }
            for aspect in aspects {
                field(&aspect.to_le_bytes());
            }
        }
    }
    // 128 bits: enough against chance, short enough for a name.
    hash.finalize().to_hex()[..32].to_owned()
}

/// An answer of the compiler program.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) built: Built,
    /// The compiler, as it introduces itself.
    pub(super) compiler: String,
    /// Which build of the program it was.
    pub(super) program: Arc<str>,
}

/// Has the compiler program make code.
pub(super) fn ask(request: &Request, cancel: &Cancel) -> Result<Answered> {
    let failed = what_failed(request);
    let answer = client().ask(request, cancel).map_err(|error| match error {
        CompileError::Cancelled => cancelled(),
        error => no_answer(request, &error),
    })?;
    match answer.reply {
        Reply::Built(built) => {
            log::debug!("stages: {:?}", built.stages);
            Ok(Answered { built, compiler: answer.compiler, program: answer.program })
        }
        Reply::Refused { message } => Err(Error::invalid(detailed(ARGUMENTS_FAILED, &message))),
        Reply::Failed { log, diagnostics } => {
            Err(Error::build(detailed(failed, &log), log).with_diagnostics(diagnostics))
        }
        Reply::Text(_) | Reply::Files(_) => Err(Error::internal("the compiler program answered another question")),
        Reply::Died { message } => {
            let log = format!("internal error: the compiler program ended without a result: {message}");
            Err(Error::build(detailed(failed, &log), log))
        }
    }
}

fn what_failed(request: &Request) -> &'static str {
    match request {
        Request::Link(_) => LINK_FAILED,
        _ => COMPILATION_FAILED,
    }
}

/// The error of a request that did not reach the compiler program, or whose answer did not come back.
pub(super) fn no_answer(request: &Request, error: &CompileError) -> Error {
    Error::build(detailed(what_failed(request), &error.to_string()), error.to_string())
}

/// Bitcode as text.
pub(super) fn disassemble(bitcode: &[u8]) -> Result<String> {
    let failed = |text: &str| Error::build(format!("the LLVM IR could not be read: {text}"), text);
    match client().run(&Request::Disassemble(bitcode.to_vec())).map_err(|e| failed(&e.to_string()))? {
        Reply::Text(text) => Ok(text),
        Reply::Failed { log, .. } => Err(failed(&log)),
        Reply::Refused { message } | Reply::Died { message } => Err(failed(&message)),
        Reply::Built(_) | Reply::Files(_) => Err(Error::internal("the compiler program answered another question")),
    }
}

/// Writes the result of `-ftime-trace` where the option says.
///
/// # Errors
/// [`Errc::Invalid`](crate::error::Errc::Invalid) if that place cannot be written: the argument of an option is at fault.
pub(super) fn write_time_trace(trace: &TimeTrace) -> Result<()> {
    let written = match trace.file.as_str() {
        "-" => {
            let mut out = io::stdout().lock();
            out.write_all(trace.json.as_bytes()).and_then(|()| out.flush())
        }
        file => fs::write(file, &trace.json),
    };
    written.map_err(|error| {
        let details = format!("'{}' of -ftime-trace cannot be written: {error}", trace.file);
        Error::invalid(detailed(ARGUMENTS_FAILED, &details))
    })
}

pub(super) fn detailed(what: &str, details: &str) -> String {
    format!("{what}\nDetailed information:\n\t{details}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        bundle::{IncludeFile, Language},
        error::Errc,
    };

    fn source(text: &str, files: &[(&str, &str)]) -> Source {
        let include_files =
            files.iter().map(|(name, content)| IncludeFile { name: (*name).into(), content: (*content).into() });
        Source { language: Language::Sycl, text: text.into(), include_files: include_files.collect() }
    }

    fn id(source: &Source, options: &[&str], target: Target) -> String {
        let options = BuildOptions { options: options.iter().map(|o| (*o).into()).collect(), ..Default::default() };
        request(source, &options, "rtc_0.cpp", Output::Image(target)).unit_id
    }

    fn spirv(minor: u8, extensions: &[&str]) -> Target {
        let extensions = extensions.iter().map(|e| (*e).into()).collect();
        Target { format: TargetFormat::Spirv { version: (1, minor), extensions }, aspects: vec![1, 6] }
    }

    #[test]
    fn near_requests_have_different_ids_and_equal_ones_the_same() {
        let plain = source("ab", &[]);
        let ids = [
            id(&plain, &[], spirv(4, &[])),
            id(&source("a", &[("b", "")]), &[], spirv(4, &[])),
            id(&source("", &[("ab", "")]), &[], spirv(4, &[])),
            id(&source("", &[("a", "b")]), &[], spirv(4, &[])),
            id(&source("", &[("a", ""), ("b", "")]), &[], spirv(4, &[])),
            id(&source("", &[("b", ""), ("a", "")]), &[], spirv(4, &[])),
            id(&plain, &["-DA=1", "-DB=2"], spirv(4, &[])),
            id(&plain, &["-DA=1 -DB=2"], spirv(4, &[])),
            id(&plain, &["-DA=1-DB=2"], spirv(4, &[])),
            id(&plain, &["-DB=2", "-DA=1"], spirv(4, &[])),
            id(&plain, &[], spirv(2, &[])),
            id(&plain, &[], spirv(4, &["SPV_A", "SPV_B"])),
            id(&plain, &[], spirv(4, &["SPV_ASPV_B"])),
        ];
        for (index, one) in ids.iter().enumerate() {
            assert!(one.len() == 32 && one.bytes().all(|b| b.is_ascii_hexdigit() && !b.is_ascii_uppercase()));
            assert!(!ids[..index].contains(one), "{index}");
        }
        assert_eq!(ids[0], id(&plain, &["", ""], spirv(4, &[])));
    }

    #[test]
    fn registered_names_are_sent_once_and_do_not_change_the_id() {
        let names = vec!["k<int>".to_owned(), "k".to_owned(), "k<int>".to_owned()];
        let options = BuildOptions { registered_names: names, ..Default::default() };
        let request = request(&source("", &[]), &options, "rtc_7.cpp", Output::Image(spirv(4, &[])));
        assert_eq!(request.registered_names, ["k<int>", "k"]);
        assert_eq!(request.unit_id, id(&source("", &[]), &[], spirv(4, &[])));
    }

    #[test]
    fn main_names_count_up() {
        let number = |name: String| name["rtc_".len()..name.len() - ".cpp".len()].parse::<u64>().unwrap();
        let first = number(next_main_name());
        assert!(number(next_main_name()) > first);
    }

    #[test]
    fn a_time_trace_goes_where_it_shall() {
        let file = env::temp_dir().join(format!("syclrtc_trace_{}.json", std::process::id()));
        let trace = TimeTrace { file: file.to_str().unwrap().into(), json: "{\"traceEvents\":[]}".into() };
        write_time_trace(&trace).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), trace.json);
        fs::remove_file(&file).unwrap();
        let nowhere = TimeTrace { file: "/nonexistent/trace.json".into(), ..trace };
        let error = write_time_trace(&nowhere).unwrap_err();
        assert_eq!(error.code, Errc::Invalid);
        assert!(error.message.starts_with(ARGUMENTS_FAILED) && error.message.contains("/nonexistent/trace.json"));
    }

    #[test]
    fn messages_have_the_shape_that_programs_look_for() {
        assert_eq!(
            detailed(COMPILATION_FAILED, "rtc_0.cpp:1:1: error: no"),
            "Device compilation failed\nDetailed information:\n\trtc_0.cpp:1:1: error: no"
        );
    }
}
