#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Everything that must hold before a change lands: installs what is missing, checks the sources, builds, and runs all
# tests. Goes on after a failed step, lists all steps at the end, and exits 1 if one failed.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

results=()
failures=0

# step NAME COMMAND...: runs one step and notes how it went. `set -e` does not act inside, so a step that is a function
# joins its commands with &&.
step() {
    local name=$1 start=$SECONDS outcome=ok
    shift
    printf '\n=== %s\n' "$name"
    if ! "$@"; then
        outcome=FAILED
        failures=$((failures + 1))
    fi
    results+=("$(printf '%-6s %5d s  %s' "$outcome" $((SECONDS - start)) "$name")")
}

summary() {
    printf '\n=== steps\n'
    printf '%s\n' "${results[@]}"
    printf '%d passed, %d failed\n' $((${#results[@]} - failures)) "$failures"
}

step 'setup' scripts/setup.sh
if ((failures)); then
    summary
    exit 1
fi
# shellcheck source=/dev/null
source .deps/env.sh
# The devices have just been seen, so a test that misses them fails instead of being skipped.
export SYCLRTC_TEST_DEVICES=1

# The Rust tests use cargo's dev profile, with its assertions; the install tree is optimised. ccache compiles the C++
# parts of both (SPIRV-Tools takes minutes) once. It comes by the path, since a change of CC or CXX would make cargo build
# those parts anew, here and again in the next plain `cargo build`. Debian's own folder of links lacks c++ and cc.
mkdir -p .deps/ccache/bin
for compiler in c++ cc g++ gcc clang++-22 clang-22; do
    ln -sf /usr/bin/ccache ".deps/ccache/bin/$compiler"
done
export PATH=$root/.deps/ccache/bin:$PATH CCACHE_DIR=$root/.deps/ccache CCACHE_MAXSIZE=1G

jobs=$(nproc)

shell_scripts() {
    local scripts
    mapfile -t scripts < <(find .ci/run benches cpp-tests examples scripts tests -name '*.sh' -o -path .ci/run)
    shellcheck --severity=style "${scripts[@]}"
}

rust_tests() {
    # First of all the compiler program, which the library's tests start; `cargo test` alone need not build it.
    cargo build --locked --workspace && cargo test --locked --workspace --no-fail-fast
}

# cpp_tests COMPILER: configures, builds and tests with that host compiler. Cargo's products are shared.
cpp_tests() {
    cmake -S . -B "build/$1" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$1" -DSYCLRTC_CARGO_TARGET_DIR="$root/target" &&
        cmake --build "build/$1" --parallel "$jobs" &&
        ctest --test-dir "build/$1" --no-tests=error --output-on-failure --timeout 600 --parallel "$jobs"
}

step 'rustfmt' cargo fmt --all --check
step 'shellcheck' shell_scripts
step 'clippy' cargo clippy --locked --workspace --all-targets -- -D warnings
step 'generated header' cargo xtask header --check
step 'rustdoc' env RUSTDOCFLAGS='-D warnings' cargo doc --locked --workspace --no-deps
step 'Rust tests' rust_tests
step 'C++ tests, g++' cpp_tests g++
step 'C++ tests, clang++' cpp_tests clang++-22
step 'README' scripts/test_readme.sh

summary
((failures == 0))
