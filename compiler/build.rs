// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Compiles the front-end shim, links clang and LLVM statically, and gathers the headers that the program carries.

use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Major version of LLVM that the code is written against.
const LLVM_MAJOR: &str = "22";

/// clang's libraries, users before what they use.
const CLANG_LIBS: &[&str] = &[
    "clangFrontend",
    "clangCodeGen",
    "clangDriver",
    "clangParse",
    "clangSerialization",
    "clangSema",
    "clangAPINotes",
    "clangEdit",
    "clangAnalysisLifetimeSafety",
    "clangAnalysis",
    "clangASTMatchers",
    "clangSupport",
    "clangAST",
    "clangLex",
    "clangOptions",
    "clangBasic",
];

/// What of LLVM is used, as `llvm-config` names it.
const LLVM_COMPONENTS: &[&str] = &[
    "spirv",
    "passes",
    "coverage",
    "lto",
    "frontendopenmp",
    "frontendhlsl",
    "frontenddriver",
    "option",
    "windowsdriver",
];

fn main() -> Result<()> {
    let llvm_config = find_llvm_config()?;
    let ask = |arguments: &[&str]| -> Result<String> {
        let output = Command::new(&llvm_config).args(arguments).output()?;
        if !output.status.success() {
            return Err(format!(
                "{} {arguments:?}: {}",
                llvm_config.display(),
                String::from_utf8_lossy(&output.stderr)
            )
            .into());
        }
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    };
    let include = ask(&["--includedir"])?;
    let libraries = ask(&["--libdir"])?;

    compile_shim(&include)?;
    link(&libraries, &ask)?;

    let resource = Path::new(&libraries).join("clang").join(LLVM_MAJOR).join("include");
    let own = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../include");
    let mut headers = Vec::new();
    gather(&own.join("sycl"), &own, "/syclrtc/include", &|_| true, &mut headers)?;
    gather(&resource, &resource, "/syclrtc/clang/include", &is_target_independent, &mut headers)?;
    write_header_table(&headers)?;
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=LLVM_CONFIG");
    Ok(())
}

/// `LLVM_CONFIG` if set, else the versioned name on the path.
fn find_llvm_config() -> Result<PathBuf> {
    if let Some(path) = env::var_os("LLVM_CONFIG") {
        return Ok(path.into());
    }
    let name = format!("llvm-config-{LLVM_MAJOR}");
    Command::new(&name)
        .arg("--version")
        .output()
        .map(|_| PathBuf::from(&name))
        .map_err(|e| format!("{name} not found ({e}); install llvm-{LLVM_MAJOR}-dev or set LLVM_CONFIG").into())
}

fn compile_shim(llvm_include: &str) -> Result<()> {
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .std("c++17")
        .flag("-isystem")
        .flag(llvm_include)
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .flag("-Wall")
        .flag("-Wextra");
    build.define("_GNU_SOURCE", None).define("__STDC_CONSTANT_MACROS", None).define("__STDC_FORMAT_MACROS", None);
    build.define("__STDC_LIMIT_MACROS", None).warnings_into_errors(true);
    // Debug information of clang's headers would outweigh everything else; the shim itself is small.
    build.debug(false).opt_level(2);
    println!("cargo:rerun-if-changed=shim");
    let mut sources: Vec<_> = fs::read_dir("shim")?.map(|entry| entry.map(|e| e.path())).collect::<io::Result<_>>()?;
    sources.retain(|path| path.extension().is_some_and(|extension| extension == "cpp"));
    sources.sort();
    build.files(sources);
    build.compile("syclrtc_frontend");
    Ok(())
}

fn link(libraries: &str, ask: &dyn Fn(&[&str]) -> Result<String>) -> Result<()> {
    println!("cargo:rustc-link-search=native={libraries}");
    for library in CLANG_LIBS {
        println!("cargo:rustc-link-lib=static:-bundle={library}");
    }
    let mut arguments = vec!["--link-static", "--libs"];
    arguments.extend(LLVM_COMPONENTS);
    for library in ask(&arguments)?.split_whitespace().filter_map(|flag| flag.strip_prefix("-l")) {
        // Listed by some distributions, packaged apart by them, and not used by the libraries.
        if library.starts_with("Polly") {
            continue;
        }
        println!("cargo:rustc-link-lib=static:-bundle={library}");
    }
    // Compression of debug sections; LLVM's other system libraries serve tools that are not linked in.
    for library in ["z", "zstd"] {
        println!("cargo:rustc-link-lib=dylib={library}");
    }
    // Unused sections of clang are most of it.
    println!("cargo:rustc-link-arg-bins=-Wl,--gc-sections");
    // What caches know a build by.
    println!("cargo:rustc-link-arg-bins=-Wl,--build-id");
    Ok(())
}

/// clang ships headers for every target; those a device compile can use are the ones of the language.
fn is_target_independent(name: &str) -> bool {
    const LANGUAGE: &[&str] =
        &["std", "__std", "limits", "float", "iso646", "inttypes", "varargs", "tgmath", "builtins", "mm_malloc"];
    LANGUAGE.iter().any(|prefix| name.starts_with(prefix)) || name.starts_with("__float_")
}

fn gather(
    dir: &Path,
    base: &Path,
    mount: &str,
    keep: &dyn Fn(&str) -> bool,
    out: &mut Vec<(String, PathBuf)>,
) -> Result<()> {
    println!("cargo:rerun-if-changed={}", dir.display());
    let mut entries = fs::read_dir(dir)
        .map_err(|e| format!("{}: {e}", dir.display()))?
        .collect::<std::result::Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() && mount == "/syclrtc/include" {
            gather(&path, base, mount, keep, out)?;
        } else if path.is_file() && keep(&name) {
            let relative = path.strip_prefix(base)?.to_string_lossy().into_owned();
            out.push((format!("{mount}/{relative}"), fs::canonicalize(&path)?));
        }
    }
    Ok(())
}

fn write_header_table(headers: &[(String, PathBuf)]) -> Result<()> {
    let mut text = String::from("&[\n");
    for (name, path) in headers {
        writeln!(text, "    ({name:?}, include_bytes!({:?})),", path.display().to_string())?;
    }
    text.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("headers.rs"), text)?;
    Ok(())
}
