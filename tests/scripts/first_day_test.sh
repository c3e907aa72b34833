#!/usr/bin/env bash
# first_day_test.sh SCRIPTS FOLDER: scripts/first_day in a project whose folder is FOLDER, made anew, with stand-ins for
# the card and for all that is run on it.
set -euo pipefail
scripts="$1" folder="$2"
build="$folder/project/build/first_day"
export CALLS="$folder/calls"

rm -rf "$folder"
mkdir -p "$build/tests" "$build/bench" "$folder/bin"
cp -r "$scripts" "$folder/project/scripts"
stand_in() { # FILE, whose lines are read from the standard input
  { printf '#!/bin/sh\nprintf "%%s\\n" "%s $*" >>"$CALLS"\n' "$(basename "$1")" && cat; } >"$1"
  chmod +x "$1"
}
stand_in "$folder/bin/cmake" <<'END_OF_FILE'
if [ "$STOP" = build ] && [ "$1" = --build ]; then echo 'pass.cu:7:1: error: no such thing' && exit 2; fi
END_OF_FILE
stand_in "$folder/bin/ctest" <<'END_OF_FILE'
echo "order ${EMULATOR_ORDER:-ascending}"
case "$STOP" in
  test) echo '50% tests passed, 1 tests failed out of 2' && exit 8 ;;
  skip) printf '1/1 Test #1: gpu.all ...***Skipped 0.01 sec\n100%% tests passed, 0 tests failed out of 1\n' ;;
  some) printf '1/2 Test #1: gpu.a ...***Skipped 0.01 sec\n100%% tests passed, 0 tests failed out of 2\n' ;;
  *) echo '100% tests passed, 0 tests failed out of 2' ;;
esac
END_OF_FILE
stand_in "$folder/bin/nvidia-smi" <<'END_OF_FILE'
[ -n "$CARD" ] && echo "GPU 0: $CARD"
END_OF_FILE
stand_in "$folder/bin/compute-sanitizer" <<'END_OF_FILE'
case "$STOP$*" in race*racecheck*) echo 'RACECHECK SUMMARY: 1 hazard displayed' && exit 9 ;; *) echo 'ERROR SUMMARY: 0 errors' ;; esac
END_OF_FILE
stand_in "$folder/bin/nsys" <<'END_OF_FILE'
echo 'pick 12.3 ms'
END_OF_FILE
stand_in "$build/bench/bench_backends" <<'END_OF_FILE'
mkdir -p "$2" && echo '{"schema": "carbo-backend-benchmark"}' >"$2/results.json"
END_OF_FILE

# said STATUS ARGUMENT...: all that the script writes, which must end with that status.
said() {
  local wanted="$1" status=0
  shift
  : >"$CALLS"
  (cd / && PATH="$folder/bin:/usr/bin:/bin" "$folder/project/scripts/first_day" "$@" 2>&1) || status=$?
  ((status == wanted)) || { echo "first_day $*: ended with $status, not $wanted" >&2 && exit 1; }
}
expect() { # TEXT PATTERN
  grep -q -- "$2" <<<"$1" || { printf 'expected "%s" in:\n%s\n' "$2" "$1" >&2 && exit 1; }
}
no_call() { # PATTERN
  ! grep -q -- "$1" "$CALLS" || { printf '"%s" was called:\n%s\n' "$1" "$(cat "$CALLS")" >&2 && exit 1; }
}
report() { cat "$build/report.md"; }

export CARD='NVIDIA L4 (UUID: GPU-0)' STOP=
all="$(said 0)"
expect "$all" '^Report, to be sent back: .*/report.md$'
for call in 'cmake .*--preset gpu .*-DCARBO_CUDA_ARCHITECTURES=native -DCMAKE_CUDA_FLAGS=-lineinfo' \
  'ctest .*-L ^gpu\$' 'compute-sanitizer --tool memcheck --leak-check full .*/carbo_gpu_tests' \
  'compute-sanitizer --tool racecheck' 'compute-sanitizer --tool initcheck' 'compute-sanitizer --tool synccheck' \
  'bench_backends --out ' 'nsys profile .*nvtx'; do
  expect "$(cat "$CALLS")" "^$call"
done
expect "$(report)" '^# First day on GPU 0: NVIDIA L4'
expect "$(report)" '^| parity tests | passed |'
expect "$(report)" '^| compute-sanitizer synccheck | passed |'
PATH=/usr/bin:/bin command -v ncu >/dev/null ||
  expect "$(report)" '^| figures of the kernels of a pick | not run, ncu is not installed |'
expect "$(report)" '^ERROR SUMMARY: 0 errors$'
expect "$(report)" '"schema": "carbo-backend-benchmark"'

# What fails is said, and the parts after it are run all the same; without a build there are none.
STOP=race
said 1 >/dev/null
expect "$(report)" '^| compute-sanitizer racecheck | FAILED with status 9 |'
expect "$(report)" '^RACECHECK SUMMARY: 1 hazard displayed$'
expect "$(report)" '^| benchmark | passed |'
STOP='test'
said 1 --out "$folder/another report.md" >/dev/null
expect "$(cat "$folder/another report.md")" '^| parity tests | FAILED with status 8 |'
STOP=skip
said 1 >/dev/null
expect "$(report)" '^| parity tests | SKIPPED, every test |'
STOP=some
said 0 >/dev/null
expect "$(report)" '^| parity tests | passed, 1 skipped |'
STOP=build
expect "$(said 1)" 'it could not be built'
expect "$(report)" 'pass.cu:7:1: error: no such thing'
no_call '^compute-sanitizer'

# Without a card: what would be run, and what can be on the emulator.
CARD='' STOP=''
emulated="$(said 0)"
expect "$emulated" '^There is no card here'
expect "$emulated" '^  compute-sanitizer --tool racecheck '
expect "$(cat "$CALLS")" '^ctest .*-L ^emulation\$'
expect "$(cat "$CALLS")" '^ctest .*emulation.bench_backends'
expect "$(report)" '^| emulated: benchmark | passed |'
expect "$(report)" '^order random$'
no_call '^compute-sanitizer'
expect "$(said 0 --plan)" '^  compute-sanitizer --tool synccheck '
no_call '^cmake'
expect "$(said 1 --minutes soon)" "takes a whole number from 1 on, not 'soon'"
