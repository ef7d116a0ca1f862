#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   run_project.sh CMAKE SOURCE BUILD [CMAKE_ARGUMENT...]
#
# Configures one consumer project in an empty build folder, builds it and runs its tests.
set -euo pipefail

cmake=$1 source=$2 build=$3
shift 3
rm -rf "$build"
"$cmake" -S "$source" -B "$build" "$@"
"$cmake" --build "$build"
"$(dirname "$cmake")/ctest" --test-dir "$build" --no-tests=error --output-on-failure
