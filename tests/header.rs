// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The C header against the finished library: libclang parses the one, the dynamic symbol table tells the other.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    ffi::{CStr, CString, c_char, c_uint, c_void},
    fs,
    path::{Path, PathBuf},
    process::Command,
    ptr,
};

use clang_sys::{
    CXChildVisit_Continue, CXChildVisitResult, CXClientData, CXCursor, CXCursor_FunctionDecl, CXCursor_MacroDefinition,
    CXCursor_StructDecl, CXCursor_TypedefDecl, CXDiagnostic_Warning, CXError_Success, CXString,
    CXTranslationUnit_DetailedPreprocessingRecord,
};
use object::{Object, ObjectSymbol, read::elf::ElfFile64};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn header() -> PathBuf {
    root().join("include/syclrtc/syclrtc.h")
}

/// The shared library that belongs to this test program.
fn library() -> PathBuf {
    let program = env::current_exe().unwrap();
    let folder = program.parent().unwrap();
    let places = [folder.join("libsyclrtc.so"), folder.parent().unwrap().join("libsyclrtc.so")];
    places.into_iter().find(|path| path.exists()).expect("cargo builds libsyclrtc.so before the tests")
}

/// Defined dynamic symbols of the library.
fn exported() -> BTreeSet<String> {
    let bytes = fs::read(library()).unwrap();
    let file = ElfFile64::<object::Endianness>::parse(&*bytes).unwrap();
    let defined = file.dynamic_symbols().filter(|symbol| symbol.is_definition() && symbol.is_global());
    defined.map(|symbol| symbol.name().unwrap().to_owned()).collect()
}

/// `exports.txt`.
fn listed() -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("exports.txt")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split(' ').next().unwrap().to_owned()).collect()
}

#[test]
fn the_library_exports_what_is_listed_and_nothing_else() {
    assert_eq!(exported(), listed(), "exports.txt against {}", library().display());
}

#[test]
fn the_library_has_a_soname_with_its_major_version() {
    let output = Command::new("readelf").args(["-d", "-W"]).arg(library()).output();
    let Ok(output) = output else {
        skipped("readelf is not installed");
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("Library soname: [libsyclrtc.so.0]"), "{text}");
    // What it may need from a plain system. LLVM, clang and driver loaders are not among it.
    for line in text.lines().filter(|line| line.contains("(NEEDED)")) {
        let known = ["libc.so", "libgcc_s.so", "libm.so", "libstdc++.so", "ld-linux"];
        assert!(known.iter().any(|name| line.contains(name)), "{line}");
    }
}

#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn skipped(why: &str) {
    eprintln!("skipped: {why}");
}

#[test]
fn the_header_compiles_alone_without_a_warning() {
    let mut used = 0;
    for (compiler, language, standard) in [
        ("gcc", "c", "-std=c11"),
        ("g++", "c++", "-std=c++17"),
        ("clang", "c", "-std=c11"),
        ("clang++", "c++", "-std=c++17"),
        ("clang-22", "c", "-std=c11"),
        ("clang++-15", "c++", "-std=c++17"),
    ] {
        let flags = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", standard, "-x", language];
        // Twice: the guard is part of it.
        let source = format!("#include \"{0}\"\n#include \"{0}\"\nint use(void);\n", header().display());
        let file = env::temp_dir().join(format!("syclrtc-header-{}-{compiler}", std::process::id()));
        fs::write(&file, source).unwrap();
        let output = Command::new(compiler).args(flags).arg(&file).output();
        fs::remove_file(&file).unwrap();
        let Ok(output) = output else {
            skipped(&format!("{compiler} is not installed"));
            continue;
        };
        used += 1;
        assert!(output.status.success(), "{compiler} {standard}:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    assert!(used >= 2, "no compiler");
}

/// What the header declares.
#[derive(Debug, Default)]
struct Declared {
    /// Function with its type.
    functions: BTreeMap<String, String>,
    /// Structure with its size and the name, offset and size of each field, in bytes; opaque ones have none.
    structures: BTreeMap<String, Vec<(String, i64, i64)>>,
    typedefs: BTreeSet<String>,
    macros: BTreeSet<String>,
}

/// Loads libclang, which the machine may have in several versions and places.
fn load_libclang() -> bool {
    if clang_sys::is_loaded() {
        return true;
    }
    if env::var_os("LIBCLANG_PATH").is_none() {
        let config = ["llvm-config-22", "llvm-config"].iter().find_map(|program| {
            let output = Command::new(program).arg("--libdir").output().ok()?;
            String::from_utf8(output.stdout).ok().map(|text| text.trim().to_owned())
        });
        if let Some(folder) = config {
            // SAFETY: the tests of this program that read the environment take the lock around this first.
            unsafe { env::set_var("LIBCLANG_PATH", folder) };
        }
    }
    match clang_sys::load() {
        Ok(()) => true,
        Err(error) => {
            skipped(&format!("libclang: {error}"));
            false
        }
    }
}

fn text(string: CXString) -> String {
    // SAFETY: libclang's strings are NUL-terminated and live until they are disposed of.
    unsafe {
        let pointer = clang_sys::clang_getCString(string);
        let text =
            if pointer.is_null() { String::new() } else { CStr::from_ptr(pointer).to_string_lossy().into_owned() };
        clang_sys::clang_disposeString(string);
        text
    }
}

extern "C" fn visit(cursor: CXCursor, _: CXCursor, data: CXClientData) -> CXChildVisitResult {
    // SAFETY: `data` is the `Declared` that `parse` passes; the cursor is libclang's.
    unsafe {
        let declared = &mut *data.cast::<Declared>();
        let name = text(clang_sys::clang_getCursorSpelling(cursor));
        if clang_sys::clang_Location_isInSystemHeader(clang_sys::clang_getCursorLocation(cursor)) == 0 {
            match clang_sys::clang_getCursorKind(cursor) {
                kind if kind == CXCursor_FunctionDecl => {
                    let signature = text(clang_sys::clang_getTypeSpelling(clang_sys::clang_getCursorType(cursor)));
                    assert!(declared.functions.insert(name, signature).is_none());
                }
                kind if kind == CXCursor_StructDecl => {
                    let mut fields: Vec<(String, i64, i64)> = Vec::new();
                    let ty = clang_sys::clang_getCursorType(cursor);
                    clang_sys::clang_Type_visitFields(ty, visit_field, (&raw mut fields).cast());
                    if !fields.is_empty() {
                        fields.push(("sizeof".into(), clang_sys::clang_Type_getSizeOf(ty), 0));
                        declared.structures.insert(name, fields);
                    }
                }
                kind if kind == CXCursor_TypedefDecl => {
                    declared.typedefs.insert(name);
                }
                kind if kind == CXCursor_MacroDefinition && name.starts_with("SYCLRTC_") => {
                    declared.macros.insert(name);
                }
                _ => {}
            }
        }
    }
    CXChildVisit_Continue
}

extern "C" fn visit_field(cursor: CXCursor, data: CXClientData) -> clang_sys::CXVisitorResult {
    // SAFETY: `data` is the list that `visit` passes; the cursor is libclang's.
    unsafe {
        let fields = &mut *data.cast::<Vec<(String, i64, i64)>>();
        let name = text(clang_sys::clang_getCursorSpelling(cursor));
        let size = clang_sys::clang_Type_getSizeOf(clang_sys::clang_getCursorType(cursor));
        fields.push((name, clang_sys::clang_Cursor_getOffsetOfField(cursor) / 8, size));
    }
    clang_sys::CXVisit_Continue
}

/// The header as libclang sees it; none if there is no libclang.
fn parse() -> Option<Declared> {
    static LOCK: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _guard = LOCK.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if !load_libclang() {
        return None;
    }
    let file = CString::new(header().to_str().unwrap()).unwrap();
    let flags = [c"-x", c"c", c"-std=c11", c"-Wall", c"-Wextra"].map(CStr::as_ptr);
    let mut declared = Declared::default();
    // SAFETY: all pointers live over the calls; what is created is disposed of.
    unsafe {
        let index = clang_sys::clang_createIndex(0, 0);
        let mut unit = ptr::null_mut();
        let result = clang_sys::clang_parseTranslationUnit2(
            index,
            file.as_ptr(),
            flags.as_ptr().cast::<*const c_char>(),
            i32::try_from(flags.len()).unwrap(),
            ptr::null_mut(),
            0,
            CXTranslationUnit_DetailedPreprocessingRecord,
            &raw mut unit,
        );
        assert_eq!(result, CXError_Success);
        for number in 0..clang_sys::clang_getNumDiagnostics(unit) as c_uint {
            let diagnostic = clang_sys::clang_getDiagnostic(unit, number);
            let severity = clang_sys::clang_getDiagnosticSeverity(diagnostic);
            let message = text(clang_sys::clang_getDiagnosticSpelling(diagnostic));
            clang_sys::clang_disposeDiagnostic(diagnostic);
            assert!(severity < CXDiagnostic_Warning, "{message}");
        }
        let data: *mut c_void = (&raw mut declared).cast();
        clang_sys::clang_visitChildren(clang_sys::clang_getTranslationUnitCursor(unit), visit, data);
        clang_sys::clang_disposeTranslationUnit(unit);
        clang_sys::clang_disposeIndex(index);
    }
    Some(declared)
}

#[test]
fn the_header_declares_what_the_library_exports() {
    let Some(declared) = parse() else { return };
    let names: BTreeSet<String> = declared.functions.keys().cloned().collect();
    assert_eq!(names, exported());
    for (name, signature) in &declared.functions {
        // A call that can fail says so by its result; the others cannot. Clones are of the handle's type.
        let fails = signature.starts_with("syclrtc_error_t *") && name != "syclrtc_error_clone";
        let plain = ["_release", "_clone", "_data", "_message", "_log", "syclrtc_error_code", "syclrtc_version"];
        assert_eq!(fails, !plain.iter().any(|end| name.ends_with(end)), "{name}: {signature}");
        assert!(!signature.contains("int ("), "{name} has a type of no fixed size: {signature}");
    }
    for object in [
        "error",
        "text",
        "bytes",
        "diagnostics",
        "platform",
        "device",
        "context",
        "queue",
        "event",
        "kernel_bundle",
        "kernel",
        "pending_build",
    ] {
        assert!(declared.typedefs.contains(&format!("syclrtc_{object}_t")), "{object}");
        assert!(names.contains(&format!("syclrtc_{object}_release")), "{object}");
    }
}

#[test]
fn structures_are_laid_out_as_inside() {
    use std::mem::offset_of;
    use syclrtc::capi::{cache as c, device as d, diagnostics as g, kernel_bundle as b, linking as l, queue as q};
    let Some(declared) = parse() else { return };
    macro_rules! layout {
        ($type:ty { $($field:ident),* }) => {{
            let fields = &declared.structures[stringify!($type).rsplit("::").next().unwrap().trim()];
            let inside = [$((stringify!($field), offset_of!($type, $field))),*];
            assert_eq!(fields.len(), inside.len() + 1, "{fields:?}");
            for ((name, offset, _), (inside, at)) in fields.iter().zip(inside) {
                assert_eq!((name.as_str(), *offset), (inside, at as i64), stringify!($type));
            }
            assert_eq!(fields.last().unwrap().1, size_of::<$type>() as i64, stringify!($type));
        }};
    }
    layout!(q::syclrtc_launch_t { size, kind, dimensions, global, local, offset, scratch });
    layout!(q::syclrtc_argument_t { size, index, kind, data, bytes });
    layout!(b::syclrtc_string_view_t { data, length });
    layout!(b::syclrtc_include_file_t { size, name, content });
    layout!(b::syclrtc_build_options_t { size, options, option_count, registered_names, registered_name_count });
    layout!(b::syclrtc_build_times_t { size, total, compiler, driver });
    layout!(l::syclrtc_link_options_t { size, fast_link });
    layout!(d::syclrtc_cl_version_t { size, major, minor, patch });
    layout!(g::syclrtc_diagnostic_t { size, severity, line, column, note_count, file, text, option });
    layout!(g::syclrtc_diagnostic_note_t { size, line, column, file, text });
    layout!(c::syclrtc_cache_statistics_t {
        size,
        memory_hits,
        memory_misses,
        memory_stores,
        memory_evictions,
        disk_hits,
        disk_misses,
        disk_stores,
        disk_evictions,
        native_hits,
        native_misses,
        native_stores,
        shared,
        compiles,
        compiles_running,
        in_flight
    });
    assert_eq!(declared.structures.len(), 11, "{:?}", declared.structures.keys());
}

#[test]
fn constants_and_version_are_in_the_header() {
    let Some(declared) = parse() else { return };
    let mut inside = 0;
    for entry in fs::read_dir(root().join("src/capi")).unwrap() {
        for line in fs::read_to_string(entry.unwrap().path()).unwrap().lines() {
            if let Some(rest) = line.strip_prefix("pub const SYCLRTC_") {
                let name = format!("SYCLRTC_{}", rest.split(':').next().unwrap());
                assert!(declared.macros.contains(&name), "{name}");
                inside += 1;
            }
        }
    }
    for part in ["MAJOR", "MINOR", "PATCH"] {
        assert!(declared.macros.contains(&format!("SYCLRTC_VERSION_{part}")));
    }
    // The guard is one, too.
    assert_eq!(declared.macros.len(), inside + 3 + 1);
    let text = fs::read_to_string(header()).unwrap();
    assert!(text.contains(concat!("#define SYCLRTC_VERSION_MINOR ", env!("CARGO_PKG_VERSION_MINOR"), "\n")));
}
