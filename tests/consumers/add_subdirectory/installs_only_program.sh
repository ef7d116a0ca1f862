#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   installs_only_program.sh CMAKE BUILD_TREE
set -euo pipefail

prefix=$2/prefix
rm -rf "$prefix"
"$1" --install "$2" --prefix "$prefix" >/dev/null
installed=$(cd "$prefix" && find . -type f -o -type l)
[[ $installed == ./bin/program ]] || { echo "the install tree holds: $installed" >&2; exit 1; }
