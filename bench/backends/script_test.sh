#!/usr/bin/env bash
# script_test.sh SCRIPTS FOLDER: what scripts/benchmark says where there is a card but the CUDA backend is not built. The
# scripts are copied into FOLDER, with stand-ins for nvidia-smi, cmake and the program.
set -euo pipefail
scripts="$1" folder="$2"

rm -rf "$folder"
mkdir -p "$folder/project/build/benchmark/bench" "$folder/bin"
cp -r "$scripts" "$folder/project/scripts"
stand_in() { # FILE, whose lines are read from the standard input
  { echo '#!/bin/sh' && cat; } >"$1"
  chmod +x "$1"
}
stand_in "$folder/bin/cmake" <<'END'
if [ "$1" = -S ]; then echo "--   CUDA backend: $STATUS"; fi
END
stand_in "$folder/bin/nvidia-smi" <<'END'
if [ "$CARD" ]; then echo "GPU 0: $CARD"; fi
END
stand_in "$folder/project/build/benchmark/bench/bench_backends" <<'END'
echo "ran with $*"
END

# said CARD STATUS: all that the script writes.
said() { CARD="$1" STATUS="$2" PATH="$folder/bin:$PATH" "$folder/project/scripts/benchmark" --jobs fit 2>&1; }
expect() { # TEXT PATTERN
  grep -q -- "$2" <<<"$1" || { printf 'expected "%s" in:\n%s\n' "$2" "$1" && exit 1; }
}

without_nvcc="$(said 'NVIDIA L4' 'not built (nvcc was not found)')"
expect "$without_nvcc" 'CUDA backend is not built (nvcc was not found)'
expect "$without_nvcc" 'Install the CUDA toolkit 13.0 or later'
expect "$without_nvcc" 'ran with --jobs fit --out'
for quiet in "$(said 'NVIDIA L4' 'built (nvcc 13.0.88, for native)')" "$(said '' 'not built (nvcc was not found)')"; do
  expect "$quiet" 'ran with --jobs fit --out'
  if grep -q 'CUDA backend' <<<"$quiet"; then printf 'nothing is to be said:\n%s\n' "$quiet" && exit 1; fi
done
