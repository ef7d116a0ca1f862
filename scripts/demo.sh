#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# From a fresh checkout to a running kernel: installs what is missing, builds syclrtc, installs it into build/demo/prefix,
# compiles the examples against that with plain g++, and runs the first of them.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

scripts/setup.sh
# shellcheck source=/dev/null
source .deps/env.sh

build=build/demo
cmake -S . -B "$build/syclrtc" -DCMAKE_BUILD_TYPE=Release -DSYCLRTC_TESTS=OFF -DSYCLRTC_CARGO_TARGET_DIR="$root/target"
cmake --build "$build/syclrtc"
cmake --install "$build/syclrtc" --prefix "$build/prefix" >/dev/null

cmake -S examples -B "$build/examples" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=g++ -DCMAKE_PREFIX_PATH="$root/$build/prefix"
cmake --build "$build/examples"

echo
"$build/examples/iota"
