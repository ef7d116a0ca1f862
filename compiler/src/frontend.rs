// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The front-end shim (`shim/frontend.h`) from Rust: the foreign declarations, and conversions that keep pointers inside
//! this file.

mod precompiled;

pub use precompiled::{Precompiled, precompile, read_ahead};

use std::ffi::{CStr, c_char, c_void};

use llvm_sys::prelude::LLVMModuleRef;
use precompiled::RawPrecompiled;
use syclrtc_protocol::{
    CodeSplit, Compile, DeclaredKernel, Dependency, DeviceGlobal, Diagnostic, Digest, FileState, KernelInfo,
    KernelKind, KernelProperties, LocalExtent, LocalObject, Location, Note, Parameter, ParameterKind, Severity, Stamp,
    Table, TimeTrace,
};

/// `fe_string`
#[repr(C)]
#[derive(Clone, Copy)]
struct Text {
    data: *const c_char,
    length: usize,
}

impl Text {
    fn of(bytes: &[u8]) -> Self {
        Self { data: bytes.as_ptr().cast(), length: bytes.len() }
    }

    /// # Safety
    /// `data` points at `length` bytes, or `length` is 0.
    unsafe fn read(self) -> String {
        // SAFETY: the caller's condition.
        String::from_utf8_lossy(unsafe { self.bytes() }).into_owned()
    }

    /// # Safety
    /// As for `read`, for as long as the result is used.
    unsafe fn bytes<'a>(self) -> &'a [u8] {
        // SAFETY: the caller's condition.
        unsafe { slice(self.data.cast::<u8>(), self.length) }
    }
}

/// `fe_file`
#[repr(C)]
struct File {
    name: Text,
    content: Text,
}

/// `fe_config`
#[repr(C)]
struct Config {
    headers: *const File,
    header_count: usize,
    sycl_include_dir: Text,
    resource_dir: Text,
    preamble: Text,
    precompiled: *const RawPrecompiled,
}

/// `fe_job`
#[repr(C)]
struct RawJob {
    main_name: Text,
    source: Text,
    include_files: *const File,
    include_file_count: usize,
    options: *const Text,
    option_count: usize,
    registered_names: *const Text,
    registered_name_count: usize,
    working_directory: Text,
    unit_id: Text,
    reuse: bool,
}

/// `fe_local_object`
#[repr(C)]
struct RawLocalObject {
    offset: u64,
    element: u64,
    extent: u32,
}

/// `fe_parameter`
#[repr(C)]
struct RawParameter {
    name: Text,
    type_name: Text,
    kind: u32,
    size: u64,
    align: u64,
    local: *const RawLocalObject,
    local_count: usize,
}

/// `fe_sizes`
#[repr(C)]
struct RawSizes {
    values: [u64; 3],
    count: u32,
}

/// `fe_kernel`
#[repr(C)]
struct RawKernel {
    function: Text,
    raw_name: Text,
    plain_name: Text,
    defined: bool,
    dimensions: u32,
    parameters: *const RawParameter,
    parameter_count: usize,
    work_group_size: RawSizes,
    work_group_size_hint: RawSizes,
    max_work_group_size: RawSizes,
    max_linear_work_group_size: u64,
    sub_group_size: u32,
    has_range_max: bool,
    range_max: u64,
    aspects: *const u32,
    aspect_count: usize,
}

/// `fe_device_global`
#[repr(C)]
struct RawDeviceGlobal {
    name: Text,
    symbol: Text,
    size: u64,
    align: u64,
    image_scope: bool,
    external: bool,
    defined: bool,
}

/// `fe_diagnostic`
#[repr(C)]
struct RawDiagnostic {
    severity: u32,
    file: Text,
    line: u32,
    column: u32,
    text: Text,
    option: Text,
}

/// `fe_result`
#[repr(C)]
struct RawResult {
    status: u32,
    log: Text,
    diagnostics: *const RawDiagnostic,
    diagnostic_count: usize,
    module: LLVMModuleRef,
    kernels: *const RawKernel,
    kernel_count: usize,
    device_globals: *const RawDeviceGlobal,
    device_global_count: usize,
    registered_symbols: *const Text,
    optimization_level: u32,
    code_split: u32,
    driver_options: Text,
    time_trace_file: Text,
    from_checkpoint: bool,
    shares_preamble: bool,
    dependencies: *const RawDependency,
    dependency_count: usize,
    from_precompiled: bool,
}

/// `fe_stamp`
#[repr(C)]
struct RawStamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: i64,
    changed: i64,
}

/// `fe_dependency`
#[repr(C)]
struct RawDependency {
    path: Text,
    state: u32,
    digest: [u8; 32],
    has_stamp: bool,
    stamp: RawStamp,
    same_as: Text,
    names: *const Text,
    name_count: usize,
}

/// `fe_callbacks`
#[repr(C)]
struct Callbacks {
    user: *mut c_void,
    next: unsafe extern "C" fn(*mut c_void) -> *const RawJob,
    claim: unsafe extern "C" fn(*mut c_void, *const u8, bool) -> bool,
    stay: unsafe extern "C" fn(*mut c_void, bool) -> bool,
    accept: unsafe extern "C" fn(*mut c_void, bool),
    done: unsafe extern "C" fn(*mut c_void, *const RawResult),
}

/// `fe_epilogue`
#[repr(C)]
struct RawEpilogue {
    log: Text,
    diagnostics: *const RawDiagnostic,
    diagnostic_count: usize,
    time_trace_json: Text,
}

unsafe extern "C" {
    fn fe_serve(config: *const Config, callbacks: *const Callbacks);
    fn fe_checkpoint_files(rows: *mut *const RawDependency, count: *mut usize);
    fn fe_preamble_files(rows: *mut *const RawDependency, count: *mut usize);
    fn fe_finish(epilogue: *mut RawEpilogue);
    fn fe_clang_version() -> *const c_char;
}

/// Version of the clang inside.
pub fn clang_version() -> String {
    // SAFETY: returns a static NUL-terminated string.
    unsafe { CStr::from_ptr(fe_clang_version()) }.to_string_lossy().into_owned()
}

/// The headers that the program carries: virtual path and content.
const HEADERS: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/headers.rs"));

/// Parsed before the first job. A text that begins with this line starts behind it.
pub const PREAMBLE: &str = "#include <sycl/sycl.hpp>\n";

/// How a front-end run ended.
pub enum Outcome {
    /// Code was generated.
    Compiled(Box<Compiled>),
    /// Diagnostics say why not.
    Failed {
        /// clang's text
        log: String,
        /// The same as data
        diagnostics: Vec<Diagnostic>,
    },
    /// An option is at fault.
    Refused {
        /// Text for the user
        message: String,
    },
}

/// What the front end made.
///
/// Functions of the module carry what the source says about them as string attributes, declarations and definitions
/// alike: [`Compiled::EXTERNAL`], [`Compiled::RANGE_MAX`], [`Compiled::ASPECTS`].
pub struct Compiled {
    /// Owned by the receiver; lives until the process ends.
    pub module: LLVMModuleRef,
    /// What the source says; what only the code can tell (used aspects, imports, places) is not filled in yet.
    pub table: Table,
    /// For each kernel of the table, the symbol of its function in the module.
    pub functions: Vec<String>,
    /// All device globals: those of the table, and those that are only declared.
    pub device_globals: Vec<SourceGlobal>,
    /// Warnings.
    pub log: String,
    /// The same as data.
    pub diagnostics: Vec<Diagnostic>,
    /// Where the result of `-ftime-trace` goes; [`epilogue`] gives it.
    pub time_trace: Option<TimeTrace>,
    /// The run started behind the parsed preamble.
    pub from_checkpoint: bool,
    /// The preamble was a precompiled one.
    pub from_precompiled: bool,
    /// [`preamble_files`] are files of this run.
    pub shares_preamble: bool,
    /// What was looked at in the real file system, sorted by path; without [`preamble_files`] if it started behind them.
    pub dependencies: Vec<Dependency>,
}

impl Compiled {
    /// The function is `SYCL_EXTERNAL`.
    pub const EXTERNAL: &str = "syclrtc-external";
    /// Most work-items of a launch that reaches the function, decimal: `range_type`.
    pub const RANGE_MAX: &str = "syclrtc-range-max";
    /// Numbers of the aspects that the function declares, sorted, with commas between: `device_has`.
    pub const ASPECTS: &str = "syclrtc-aspects";
}

/// A device global of the source.
pub struct SourceGlobal {
    /// The row for the table; its symbol is the variable's name in the module.
    pub row: DeviceGlobal,
    /// It is `SYCL_EXTERNAL`: an export if defined, an import if used and not.
    pub external: bool,
    /// False for one that is only declared `extern`.
    pub defined: bool,
}

/// What came up while others worked on the module.
pub struct Epilogue {
    /// Remarks and warnings of the passes.
    pub log: String,
    /// The same as data.
    pub diagnostics: Vec<Diagnostic>,
    /// Result of `-ftime-trace`; empty without the option.
    pub time_trace: String,
}

/// To be called once, when the work on the module is over.
pub fn epilogue() -> Epilogue {
    let nothing = Text::of(&[]);
    let mut raw =
        RawEpilogue { log: nothing, diagnostics: std::ptr::null(), diagnostic_count: 0, time_trace_json: nothing };
    // SAFETY: the front end fills the struct, and what it points at lives until the process ends.
    unsafe {
        fe_finish(&raw mut raw);
        Epilogue {
            log: raw.log.read(),
            diagnostics: read_diagnostics(slice(raw.diagnostics, raw.diagnostic_count)),
            time_trace: raw.time_trace_json.read(),
        }
    }
}

/// What was looked at in the real file system up to the checkpoint, sorted by path. To be called within [`Driver::next`].
pub fn preamble_files() -> Vec<Dependency> {
    let (mut rows, mut count) = (std::ptr::null(), 0);
    // SAFETY: the front end gives a table that is valid within `next`.
    unsafe {
        fe_preamble_files(&raw mut rows, &raw mut count);
        read_dependencies(slice(rows, count))
    }
}

/// What a checkpoint's preamble was made of, sorted by path. To be called within [`Driver::next`].
pub fn checkpoint_files() -> Vec<Dependency> {
    let (mut rows, mut count) = (std::ptr::null(), 0);
    // SAFETY: the front end gives a table that is valid within `next`.
    unsafe {
        fe_checkpoint_files(&raw mut rows, &raw mut count);
        read_dependencies(slice(rows, count))
    }
}

/// Says which preamble, and which options, a parse is for.
pub type Key = [u8; 32];

/// The points at which the front end and the program meet.
pub trait Driver {
    /// The front end is ready: returns in a process that has a request to compile.
    fn next(&mut self) -> Compile;
    /// The preamble of `request` is about to be parsed. True if [`Driver::stay`] is to be called behind it. Does not return
    /// if another process, which stands behind it already, takes the job. `always`: reuse is asked for, whatever it saves.
    fn claim(&mut self, key: Key, request: &Compile, always: bool) -> bool;
    /// The claimed preamble is parsed, and `usable` for other texts or not. True in a process that is to wait, in
    /// [`Driver::next`], for jobs with the same preamble; false in the one that goes on.
    fn stay(&mut self, usable: bool) -> bool;
    /// Whether the parsed preamble fits the job from [`Driver::next`]. Returns only if so.
    fn accept(&mut self, fits: bool);
    /// The front end is done.
    fn done(&mut self, outcome: Outcome) -> !;
}

/// State behind the callbacks' `user` pointer.
struct Bridge<'a> {
    driver: &'a mut dyn Driver,
    job: Option<Box<Job>>,
}

/// A request in the shape of `fe_job`, with what that points at.
struct Job {
    raw: RawJob,
    registered_name_count: usize,
    request: Compile,
    _include_files: Vec<File>,
    _texts: [Vec<Text>; 2],
}

impl Job {
    fn new(request: Compile) -> Box<Self> {
        let texts = |list: &[String]| list.iter().map(|text| Text::of(text.as_bytes())).collect::<Vec<_>>();
        let include_files: Vec<File> = request
            .include_files
            .iter()
            .map(|file| File { name: Text::of(file.name.as_bytes()), content: Text::of(&file.content) })
            .collect();
        let (options, registered_names) = (texts(&request.options), texts(&request.registered_names));
        // The heap blocks pointed at do not move when their owners do.
        let raw = RawJob {
            main_name: Text::of(request.main_name.as_bytes()),
            source: Text::of(&request.source),
            include_files: include_files.as_ptr(),
            include_file_count: include_files.len(),
            options: options.as_ptr(),
            option_count: options.len(),
            registered_names: registered_names.as_ptr(),
            registered_name_count: registered_names.len(),
            working_directory: Text::of(request.working_directory.as_bytes()),
            unit_id: Text::of(request.unit_id.as_bytes()),
            reuse: request.reuse,
        };
        let registered_name_count = registered_names.len();
        Box::new(Self {
            raw,
            registered_name_count,
            request,
            _include_files: include_files,
            _texts: [options, registered_names],
        })
    }
}

/// Runs the front end; it calls `driver` at the two points and does not come back. It begins behind the precompiled preamble,
/// if there is one that it can take.
pub fn serve(driver: &mut dyn Driver, precompiled: Option<&Precompiled<'_>>) -> ! {
    let mut bridge = Bridge { driver, job: None };
    let callbacks = Callbacks {
        user: (&raw mut bridge).cast(),
        next: on_next,
        claim: on_claim,
        stay: on_stay,
        accept: on_accept,
        done: on_done,
    };
    // SAFETY: the configuration and `callbacks` live until the process ends, since this frame is never left.
    with_config(precompiled, |config| unsafe { fe_serve(config, &raw const callbacks) });
    std::process::abort()
}

/// Calls `action` with a configuration that is valid for the call.
fn with_config<R>(precompiled: Option<&Precompiled<'_>>, action: impl FnOnce(*const Config) -> R) -> R {
    let headers: Vec<File> = HEADERS
        .iter()
        .map(|(name, content)| File { name: Text::of(name.as_bytes()), content: Text::of(content) })
        .collect();
    let precompiled = precompiled.map(precompiled::Rows::of);
    let config = Config {
        headers: headers.as_ptr(),
        header_count: headers.len(),
        sycl_include_dir: Text::of(b"/syclrtc/include"),
        resource_dir: Text::of(b"/syclrtc/clang"),
        preamble: Text::of(PREAMBLE.as_bytes()),
        precompiled: precompiled.as_ref().map_or(std::ptr::null(), |rows| &raw const rows.raw),
    };
    action(&raw const config)
}

unsafe extern "C" fn on_next(user: *mut c_void) -> *const RawJob {
    // SAFETY: `user` is the bridge of `serve`, alive and not borrowed elsewhere, since the front end calls on one thread.
    let bridge = unsafe { &mut *user.cast::<Bridge<'_>>() };
    let job = Job::new(bridge.driver.next());
    let raw = &raw const job.raw;
    bridge.job = Some(job);
    raw
}

unsafe extern "C" fn on_claim(user: *mut c_void, key: *const u8, always: bool) -> bool {
    // SAFETY: as in `on_next`.
    let bridge = unsafe { &mut *user.cast::<Bridge<'_>>() };
    // SAFETY: the front end passes a key of this size.
    let key = unsafe { key.cast::<Key>().read() };
    // There is always one: a preamble is that of a job.
    bridge.job.as_deref().is_some_and(|job| bridge.driver.claim(key, &job.request, always))
}

unsafe extern "C" fn on_stay(user: *mut c_void, usable: bool) -> bool {
    // SAFETY: as in `on_next`.
    let bridge = unsafe { &mut *user.cast::<Bridge<'_>>() };
    bridge.driver.stay(usable)
}

unsafe extern "C" fn on_accept(user: *mut c_void, fits: bool) {
    // SAFETY: as in `on_next`.
    let bridge = unsafe { &mut *user.cast::<Bridge<'_>>() };
    bridge.driver.accept(fits);
}

unsafe extern "C" fn on_done(user: *mut c_void, result: *const RawResult) {
    // SAFETY: as in `on_next`.
    let bridge = unsafe { &mut *user.cast::<Bridge<'_>>() };
    // SAFETY: the front end passes a result that lives for this call, with pointers as `frontend.h` says.
    let outcome = unsafe { read_result(&*result, bridge.job.as_deref()) };
    bridge.driver.done(outcome)
}

/// # Safety
/// `result` is as `frontend.h` says.
unsafe fn read_result(result: &RawResult, job: Option<&Job>) -> Outcome {
    // SAFETY: `log` and the diagnostics are valid in every result.
    let (log, diagnostics) =
        unsafe { (result.log.read(), read_diagnostics(slice(result.diagnostics, result.diagnostic_count))) };
    match result.status {
        // SAFETY: on success everything is valid.
        0 => Outcome::Compiled(Box::new(unsafe { read_compiled(result, job, log, diagnostics) })),
        2 => Outcome::Refused { message: log },
        _ => Outcome::Failed { log, diagnostics },
    }
}

/// # Safety
/// `result` is that of a success, as `frontend.h` says.
unsafe fn read_compiled(result: &RawResult, job: Option<&Job>, log: String, diagnostics: Vec<Diagnostic>) -> Compiled {
    // SAFETY: on success the tables are valid for their counts, and so are the texts and tables of their entries.
    let (rows, globals, time_trace_file, driver_options) = unsafe {
        let rows: Vec<_> = slice(result.kernels, result.kernel_count)
            .iter()
            .map(|kernel| (kernel.defined, read_kernel(kernel)))
            .collect();
        let globals: Vec<_> =
            slice(result.device_globals, result.device_global_count).iter().map(|row| read_global(row)).collect();
        (rows, globals, result.time_trace_file.read(), result.driver_options.read())
    };
    let wants_time_trace = !result.time_trace_file.data.is_null();
    let time_trace = wants_time_trace.then_some(TimeTrace { file: time_trace_file, json: String::new() });
    let strings = job.map(|job| job.request.registered_names.clone()).unwrap_or_default();
    // SAFETY: one symbol for each registered name of the job.
    let symbols = unsafe { slice(result.registered_symbols, job.map_or(0, |job| job.registered_name_count)) };
    // SAFETY: entries of a valid table.
    let registered_names = strings.into_iter().zip(symbols.iter().map(|name| unsafe { name.read() })).collect();
    let (defined, declared): (Vec<_>, Vec<_>) = rows.into_iter().partition(|(defined, _)| *defined);
    let (functions, kernels) = defined.into_iter().map(|(_, row)| row).unzip();
    let declared_kernels = declared
        .into_iter()
        .map(|(_, (_, KernelInfo { raw_name, kind, properties, .. }))| DeclaredKernel { raw_name, kind, properties })
        .collect();
    Compiled {
        module: result.module,
        table: Table {
            kernels,
            registered_names,
            device_globals: globals.iter().filter(|global| global.defined).map(|global| global.row.clone()).collect(),
            declared_kernels,
            optimization_level: result.optimization_level.min(3) as u8,
            driver_options,
            code_split: match result.code_split {
                1 => CodeSplit::Off,
                2 => CodeSplit::PerSource,
                3 => CodeSplit::PerKernel,
                _ => CodeSplit::Auto,
            },
            ..Table::default()
        },
        functions,
        device_globals: globals,
        log,
        diagnostics,
        time_trace,
        from_checkpoint: result.from_checkpoint,
        from_precompiled: result.from_precompiled,
        shares_preamble: result.shares_preamble,
        // SAFETY: on success the table is valid for its count, and so are the texts and tables of its entries.
        dependencies: unsafe { read_dependencies(slice(result.dependencies, result.dependency_count)) },
    }
}

/// # Safety
/// The texts and tables of `rows` are valid.
unsafe fn read_dependencies(rows: &[RawDependency]) -> Vec<Dependency> {
    let read = |row: &RawDependency| {
        let digest = Digest(row.digest);
        let RawStamp { device, inode, size, modified, changed } = row.stamp;
        let stamp = row.has_stamp.then_some(Stamp { device, inode, size, modified, changed });
        // SAFETY: the caller's condition.
        let (path, same_as, names) =
            unsafe { (row.path.bytes(), row.same_as.bytes(), slice(row.names, row.name_count)) };
        let state = match row.state {
            0 => FileState::Missing,
            1 => FileState::Present,
            2 => FileState::File { digest, stamp },
            3 => FileState::Directory { same_as: (!same_as.is_empty()).then(|| same_as.to_vec()) },
            4 => {
                // SAFETY: the caller's condition.
                let names = names.iter().map(|name| unsafe { name.bytes() }.to_vec());
                FileState::Without { names: names.collect(), stamp }
            }
            _ => FileState::Listing { digest, stamp },
        };
        Dependency { path: path.to_vec(), state }
    };
    rows.iter().map(read).collect()
}

/// # Safety
/// `data` points at `count` values, or `count` is 0.
unsafe fn slice<'a, T>(data: *const T, count: usize) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: the caller's condition.
    unsafe { std::slice::from_raw_parts(data, count) }
}

/// # Safety
/// The texts of `rows` are valid.
unsafe fn read_diagnostics(rows: &[RawDiagnostic]) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for row in rows {
        // SAFETY: the caller's condition.
        let (file, text, option) = unsafe { (row.file.read(), row.text.read(), row.option.read()) };
        let location = Location { file, line: row.line, column: row.column };
        let severity = match row.severity {
            0 => {
                if let Some(last) = diagnostics.last_mut() {
                    last.notes.push(Note { location, text });
                }
                continue;
            }
            1 => Severity::Remark,
            2 => Severity::Warning,
            3 => Severity::Error,
            _ => Severity::Fatal,
        };
        diagnostics.push(Diagnostic { severity, location, text, option, notes: Vec::new() });
    }
    diagnostics
}

fn read_sizes(sizes: &RawSizes) -> Option<Vec<u64>> {
    let values = &sizes.values[..sizes.count.min(3) as usize];
    (!values.is_empty()).then(|| values.to_vec())
}

/// # Safety
/// `kernel` is an entry of a result's table.
unsafe fn read_kernel(kernel: &RawKernel) -> (String, KernelInfo) {
    // SAFETY: the texts and tables of an entry are valid for the call of `done`.
    unsafe {
        let function = kernel.function.read();
        let parameters = slice(kernel.parameters, kernel.parameter_count);
        let info = KernelInfo {
            raw_name: kernel.raw_name.read(),
            plain_name: (!kernel.plain_name.data.is_null()).then(|| kernel.plain_name.read()),
            mangled_name: function.clone(),
            kind: match kernel.dimensions {
                0 => KernelKind::SingleTask,
                dimensions => KernelKind::NdRange(dimensions as u8),
            },
            parameters: parameters.iter().map(|parameter| read_parameter(parameter)).collect(),
            properties: KernelProperties {
                work_group_size: read_sizes(&kernel.work_group_size),
                work_group_size_hint: read_sizes(&kernel.work_group_size_hint),
                sub_group_size: (kernel.sub_group_size != 0).then_some(kernel.sub_group_size),
                max_work_group_size: read_sizes(&kernel.max_work_group_size),
                max_linear_work_group_size: (kernel.max_linear_work_group_size != 0)
                    .then_some(kernel.max_linear_work_group_size),
                range_max: kernel.has_range_max.then_some(kernel.range_max),
            },
            aspects: slice(kernel.aspects, kernel.aspect_count).to_vec(),
            scratch: false,
        };
        (function, info)
    }
}

/// # Safety
/// `row` is an entry of a result's table.
unsafe fn read_global(row: &RawDeviceGlobal) -> SourceGlobal {
    SourceGlobal {
        row: DeviceGlobal {
            // SAFETY: the caller's condition.
            name: unsafe { row.name.read() },
            // SAFETY: the caller's condition.
            symbol: unsafe { row.symbol.read() },
            size: row.size,
            align: row.align,
            offset: 0,
            image_scope: row.image_scope,
        },
        external: row.external,
        defined: row.defined,
    }
}

/// # Safety
/// `parameter` is an entry of a result's table.
unsafe fn read_parameter(parameter: &RawParameter) -> Parameter {
    Parameter {
        // SAFETY: the caller's condition.
        name: unsafe { parameter.name.read() },
        // SAFETY: the caller's condition.
        type_name: unsafe { parameter.type_name.read() },
        kind: match parameter.kind {
            2 => ParameterKind::Pointer,
            3 => ParameterKind::Aggregate,
            4 => ParameterKind::Local,
            5 => ParameterKind::LocalAccessor,
            _ => ParameterKind::Scalar,
        },
        size: parameter.size,
        align: parameter.align,
        // SAFETY: the caller's condition.
        local: unsafe { slice(parameter.local, parameter.local_count) }.iter().map(read_local_object).collect(),
    }
}

fn read_local_object(object: &RawLocalObject) -> LocalObject {
    LocalObject {
        offset: object.offset,
        element: object.element,
        extent: match object.extent {
            0 => LocalExtent::One,
            1 => LocalExtent::Any,
            // One without dimensions has a single element, and room for one number all the same.
            range => LocalExtent::Range((range - 2).clamp(1, 3) as u8),
        },
    }
}
