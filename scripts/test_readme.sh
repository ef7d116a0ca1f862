#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Does what README.md tells a reader to do: runs each command of its `sh` blocks, then builds the example from its `cpp`
# and `cmake` blocks against the tree that those commands installed, and compares its output with the `text` block.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
# shellcheck source=/dev/null
source .deps/env.sh

work=$root/build/readme
rm -rf "$work"
mkdir -p "$work/example"

# block LANGUAGE: the contents of all fenced blocks of that language in README.md.
block() {
    awk -v start="^\`\`\`$1\$" '/^```$/ { inside = 0 } inside { print } $0 ~ start { inside = 1 }' README.md
}

block sh >"$work/commands"
block cpp >"$work/example/main.cpp"
block cmake >"$work/example/CMakeLists.txt"
block text >"$work/expected"
for file in commands example/main.cpp example/CMakeLists.txt expected; do
    [[ -s $work/$file ]] || { echo "test_readme: README.md has no block for $file" >&2; exit 1; }
done

# The example is kept among the examples too, where it can be built in place.
tail -n +2 examples/iota/minimal.cpp | diff -u - "$work/example/main.cpp"

while IFS= read -r command; do
    # This script is a part of the former; the latter is run by nobody else.
    [[ $command == scripts/test.sh || $command == '' ]] && continue
    printf '$ %s\n' "$command"
    bash -euo pipefail -c "$command" </dev/null
done < <(sed 's/[[:space:]]*#.*//' "$work/commands")

cmake -S "$work/example" -B "$work/example/build" -DCMAKE_PREFIX_PATH="$root/build/prefix"
cmake --build "$work/example/build"
"$work/example/build/example" | tee "$work/output"
diff -u "$work/expected" "$work/output"
