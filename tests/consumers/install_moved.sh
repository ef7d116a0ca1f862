#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   install_moved.sh CMAKE BUILD_TREE CONFIG TARGET
#
# Installs the build tree somewhere else and moves the result to TARGET, then checks that nothing points back.
set -euo pipefail

cmake=$1 build=$2 config=$3 target=$4
first=$target.installed

rm -rf "$first" "$target"
"$cmake" --install "$build" --config "$config" --prefix "$first" >/dev/null
mv "$first" "$target"

# Texts that consumers read must not hold the place of installation, of the build tree or of the sources.
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if grep -rIlF -e "$first" -e "$build" -e "$source" "$target"; then
    echo "install_moved: the files above hold a path of the machine they were built on" >&2
    exit 1
fi
dangling=$(find "$target" -xtype l)
[[ -z $dangling ]] || { echo "install_moved: dangling links: $dangling" >&2; exit 1; }

for file in lib/libsyclrtc.so lib/libsyclrtc.so.0 lib/syclrtc/syclrtc-compiler lib/cmake/syclrtc/syclrtc-config.cmake \
    lib/pkgconfig/syclrtc.pc include/syclrtc/syclrtc.h include/sycl/sycl.hpp; do
    [[ -e $target/$file ]] || { echo "install_moved: the tree lacks $file" >&2; exit 1; }
done
preambles=("$target"/lib/syclrtc/*.preamble)
[[ ${#preambles[@]} == 1 && -e ${preambles[0]} ]] || { echo "install_moved: no precompiled headers, or more than one file" >&2; exit 1; }
grep -qF "/lib/syclrtc/${preambles[0]##*/}" "$build/install_manifest.txt" || { echo "install_moved: not in the manifest" >&2; exit 1; }
if grep -aqF -e "$first" -e "$build" -e "$source" "${preambles[0]}"; then
    echo "install_moved: the precompiled headers hold a path of the machine they were built on" >&2
    exit 1
fi
readelf -d "$target/lib/libsyclrtc.so" | grep -q 'SONAME.*\[libsyclrtc\.so\.0\]' || { echo "install_moved: wrong SONAME" >&2; exit 1; }
if readelf -d "$target/lib/libsyclrtc.so" | grep -E 'R(UN)?PATH'; then
    echo "install_moved: the library has a run path" >&2
    exit 1
fi
