// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A client of the compiler program, as small as can be.

use std::{
    fs,
    io::IoSlice,
    mem::MaybeUninit,
    os::{
        fd::{AsFd, OwnedFd},
        unix::{fs::DirBuilderExt, net::UnixStream},
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::LazyLock,
};

use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recv,
    sendmsg, socketpair,
};
use syclrtc_protocol::{
    Built, Compile, Hello, IncludeFile, KernelInfo, Link, LinkObject, MAX_PACKET, Output, Reply, Request, Start,
    Target, TargetFormat, decode_packet, encode_packet, read_frame, write_frame,
};

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_syclrtc-compiler");

/// A running compiler program.
pub struct Compiler {
    control: Option<OwnedFd>,
    child: Child,
    pub hello: Hello,
    pub limits: Start,
}

impl Compiler {
    /// Without precompiled preambles.
    pub fn start() -> Self {
        Self::start_by(Command::new(PROGRAM).arg("--no-preambles"))
    }

    /// With those of a folder.
    pub fn start_with(preambles: &Path) -> Self {
        Self::start_by(Command::new(PROGRAM).arg(format!("--preambles={}", preambles.display())))
    }

    /// Starts it by a command that ends up being it.
    pub fn start_by(command: &mut Command) -> Self {
        let (control, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).unwrap();
        let child = command.stdin(Stdio::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut packet = [0_u8; MAX_PACKET];
        let (length, _) = recv(&control, &mut packet, RecvFlags::empty()).unwrap();
        let hello = decode_packet(&packet[..length]).unwrap();
        Self { control: Some(control), child, hello, limits: Start { time_limit_ms: 60_000, memory_limit: 0 } }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Starts a compile; the answer comes on the socket.
    pub fn begin(&self, request: &Compile) -> UnixStream {
        let mut socket = self.open();
        write_frame(&mut socket, &Request::Compile(request.clone())).unwrap();
        socket
    }

    /// Starts a compile without sending its request.
    pub fn open(&self) -> UnixStream {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        let fds = [theirs.as_fd()];
        assert!(ancillary.push(SendAncillaryMessage::ScmRights(&fds)));
        let packet = encode_packet(&self.limits).unwrap();
        let control = self.control.as_ref().unwrap();
        sendmsg(control, &[IoSlice::new(&packet)], &mut ancillary, SendFlags::NOSIGNAL).unwrap();
        ours
    }

    pub fn reply(&self, request: &Compile) -> Reply {
        read_frame(&mut self.begin(request)).unwrap()
    }

    pub fn built(&self, request: &Compile) -> Built {
        match self.reply(request) {
            Reply::Built(built) => built,
            other => panic!("{other:#?}"),
        }
    }

    pub fn failed(&self, request: &Compile) -> String {
        match self.reply(request) {
            Reply::Failed { log, .. } => log,
            other => panic!("{other:#?}"),
        }
    }

    pub fn refused(&self, request: &Compile) -> String {
        match self.reply(request) {
            Reply::Refused { message } => message,
            other => panic!("{other:#?}"),
        }
    }

    pub fn died(&self, request: &Compile) -> String {
        match self.reply(request) {
            Reply::Died { message } => message,
            other => panic!("{other:#?}"),
        }
    }

    /// The answer to any request.
    pub fn ask(&self, request: &Request) -> Reply {
        let mut socket = self.open();
        write_frame(&mut socket, request).unwrap();
        read_frame(&mut socket).unwrap()
    }

    /// The answer to a link of objects, which are called "bundle 0 (rtc_0.cpp)" and so on.
    pub fn link(&self, objects: &[&Built], target: Target) -> Reply {
        let objects = objects.iter().enumerate().map(|(index, object)| LinkObject {
            label: format!("bundle {index} (rtc_{index}.cpp)"),
            bitcode: object.code.clone(),
            table: object.table.clone(),
        });
        self.ask(&Request::Link(Link { objects: objects.collect(), target }))
    }

    pub fn linked(&self, objects: &[&Built]) -> Built {
        match self.link(objects, target()) {
            Reply::Built(built) => built,
            other => panic!("{other:#?}"),
        }
    }

    pub fn link_failed(&self, objects: &[&Built]) -> String {
        match self.link(objects, target()) {
            Reply::Failed { log, .. } => log,
            other => panic!("{other:#?}"),
        }
    }

    /// Readable IR.
    pub fn text(&self, bitcode: &[u8]) -> String {
        match self.ask(&Request::Disassemble(bitcode.to_vec())) {
            Reply::Text(text) => text,
            other => panic!("{other:#?}"),
        }
    }

    /// Closes the control socket and gives the exit status.
    pub fn end(mut self) -> std::process::ExitStatus {
        self.control = None;
        self.child.wait().unwrap()
    }
}

impl Drop for Compiler {
    fn drop(&mut self) {
        self.control = None;
        self.child.wait().unwrap();
    }
}

/// A request with this source and nothing else.
pub fn request(source: &str) -> Compile {
    Compile {
        main_name: "rtc_0.cpp".into(),
        source: source.into(),
        include_files: Vec::new(),
        options: Vec::new(),
        registered_names: Vec::new(),
        working_directory: std::env::current_dir().unwrap().to_string_lossy().into_owned(),
        unit_id: "0123abcd".into(),
        reuse: true,
        output: Output::Image(target()),
    }
}

pub fn with_options(source: &str, options: &[&str]) -> Compile {
    Compile { options: options.iter().map(|&o| o.into()).collect(), ..request(source) }
}

pub fn with_names(source: &str, names: &[&str]) -> Compile {
    Compile { registered_names: names.iter().map(|&n| n.into()).collect(), ..request(source) }
}

pub fn with_files(source: &str, files: &[(&str, &str)]) -> Compile {
    let include_files =
        files.iter().map(|(name, content)| IncludeFile { name: (*name).into(), content: (*content).into() });
    Compile { include_files: include_files.collect(), ..request(source) }
}

/// What the sources of most tests begin with.
pub const HEAD: &str = "#include <sycl/sycl.hpp>\nnamespace syclexp = sycl::ext::oneapi::experimental;\n\
                        #define SINGLE SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclexp::single_task_kernel)\n";

/// Lines of user text start at 4.
pub fn with_head(text: &str) -> String {
    format!("{HEAD}{text}")
}

/// A request for the object of a source.
pub fn object_of(source: &str) -> Compile {
    Compile { output: Output::Object, ..request(source) }
}

pub fn kernel<'a>(built: &'a Built, raw_name: &str) -> &'a KernelInfo {
    built
        .table
        .kernels
        .iter()
        .find(|kernel| kernel.raw_name == raw_name)
        .unwrap_or_else(|| panic!("{:#?}", built.table.kernels))
}

/// The first line of a function in readable IR, and the line of its attributes.
pub fn function_lines<'a>(ir: &'a str, name: &str) -> (&'a str, &'a str) {
    let is_function = |line: &&str| line.starts_with("define") || line.starts_with("declare");
    let line = ir
        .lines()
        .filter(is_function)
        .find(|line| line.contains(&format!("@{name}(")))
        .unwrap_or_else(|| panic!("no {name} in {ir}"));
    let group = line.split_whitespace().find(|word| word.starts_with('#')).unwrap_or("no group");
    let prefix = format!("attributes {group} =");
    (line, ir.lines().find(|line| line.starts_with(&prefix)).unwrap_or_default())
}

/// A device of SPIR-V 1.4 with every aspect that code can need.
pub fn target() -> Target {
    Target { format: TargetFormat::Spirv { version: (1, 4), extensions: Vec::new() }, aspects: vec![5, 6, 27] }
}

/// One compiler program for all tests that do not look at the program itself. It ends with this process.
///
/// It stands behind a precompiled preamble, as in use; with SYCLRTC_TEST_PREAMBLES=off behind a parsed one. The tests have to
/// pass either way.
pub fn shared() -> &'static Compiler {
    static SHARED: LazyLock<Compiler> = LazyLock::new(|| {
        if std::env::var_os("SYCLRTC_TEST_PREAMBLES").is_some_and(|value| value == "off") {
            return Compiler::start();
        }
        let compiler = Compiler::start_with(precompiled());
        let built = compiler.built(&request(HEAD));
        assert!(stages(&built).contains(&PRECOMPILED), "{:?}", built.stages);
        compiler
    });
    &SHARED
}

/// A folder with the precompiled preamble of the program under test.
pub fn precompiled() -> &'static Path {
    precompiled_file().parent().unwrap()
}

/// The one file in it.
pub fn precompiled_file() -> &'static Path {
    static FILE: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("preambles");
        // It may have those of earlier builds.
        let _ = fs::remove_dir_all(&folder);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).unwrap();
        precompile(&folder)
    });
    &FILE
}

/// Writes the precompiled preamble of the program under test; its file.
pub fn precompile(folder: &Path) -> PathBuf {
    let output = Command::new(PROGRAM).arg("--precompile").arg(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().into()
}

/// The stage of a compile behind the precompiled SYCL headers.
pub const PRECOMPILED: &str = "front end behind precompiled headers";

/// The names of a compile's stages.
pub fn stages(built: &Built) -> Vec<&str> {
    built.stages.iter().map(|(name, _)| name.as_str()).collect()
}

/// Asks the validator of SPIRV-Tools about an image.
pub fn validate(image: &[u8]) {
    use spirv_tools::val::Validator;
    let (words, rest) = image.as_chunks::<4>();
    assert!(!words.is_empty() && rest.is_empty());
    let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    spirv_tools::val::create(Some(spirv_tools::TargetEnv::Universal_1_6)).validate(words, None).unwrap();
}

/// The text of one function of readable IR.
pub fn function<'a>(ir: &'a str, name: &str) -> &'a str {
    let start = ir
        .match_indices("define ")
        .map(|(at, _)| at)
        .find(|at| ir[*at..].lines().next().is_some_and(|line| line.contains(&format!("@{name}("))))
        .unwrap_or_else(|| panic!("no {name} in {ir}"));
    let body = &ir[start..];
    &body[..body.find("\n}").map_or(body.len(), |end| end + 2)]
}

/// A directory of one test, named after it, with these files; removed in the end.
pub struct Place(PathBuf);

impl Place {
    pub fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let place = std::env::temp_dir().join(format!("syclrtc-{name}-{}", std::process::id()));
        fs::create_dir_all(&place).unwrap();
        for (file, content) in files {
            let path = place.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        Self(place)
    }

    pub fn path(&self, file: &str) -> String {
        self.0.join(file).to_string_lossy().into_owned()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}
