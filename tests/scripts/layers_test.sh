#!/usr/bin/env bash
# layers_test.sh ROOT FOLDER: scripts/layers finds an include that goes up, and a file that belongs nowhere.
set -euo pipefail
rm -rf "$2"
mkdir -p "$2"
cp -r "$1/src" "$1/include" "$1/kernels" "$2"
echo '#include "engine/ledger.hpp"' >>"$2/src/gp/fit.hpp"
mkdir "$2/src/elsewhere"
echo >"$2/src/elsewhere/new.cpp"
line="$(wc -l <"$2/src/gp/fit.hpp")"
said="$("$1/scripts/layers" "$2")" && { echo "nothing was found"; exit 1; }
expected="src/elsewhere/new.cpp: belongs to no part; scripts/layers lists them
src/gp/fit.hpp:$line: src/gp includes src/engine/ledger.hpp, which is no lower part"
[[ "$said" == "$expected" ]] || { printf 'said:\n%s\n' "$said"; exit 1; }
