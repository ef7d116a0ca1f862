#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   build.sh SOURCES OUTPUT      with CC, CXX and PKG_CONFIG_PATH from the environment
set -euo pipefail

sources=$1 output=$2
flags=() libdir=
# pkg-config quotes what it prints for a shell to read, hence the eval.
eval "flags=($(pkg-config --cflags --libs syclrtc))"
eval "libdir=$(pkg-config --variable=libdir syclrtc)"

"$CXX" -std=c++17 -Wall -Wextra -Werror "$sources/main.cpp" "${flags[@]}" -Wl,-rpath,"$libdir" -o "$output/with_cxx"
"$CC" -std=c11 -Wall -Wextra -Werror "$sources/main.c" "${flags[@]}" -Wl,-rpath,"$libdir" -o "$output/with_c"

[[ $(pkg-config --modversion syclrtc) =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]
