#!/usr/bin/env bash
# commands_test.sh SCRIPTS FOLDER: scripts/run and scripts/test in a project whose folder is FOLDER, made anew, with
# stand-ins for cmake, ctest, lint, Python and the program.
set -euo pipefail
scripts="$1" folder="$2"
export CALLS="$folder/calls"

rm -rf "$folder"
mkdir -p "$folder/project/build/run" "$folder/project/examples/compressor" "$folder/bin" \
  "$folder/project/python" "$folder/project/tests/python"
touch "$folder/bin/Python.h"
echo nanobind >"$folder/project/python/requirements.txt"
echo pytest >"$folder/project/tests/python/requirements.txt"
cp -r "$scripts" "$folder/project/scripts"
stand_in() { # FILE, whose lines are read from the standard input
  { echo '#!/bin/sh' && cat; } >"$1"
  chmod +x "$1"
}
stand_in "$folder/bin/cmake" <<'END'
printf '%s\n' "cmake $*" >>"$CALLS"
case "$*" in
  *--build*) [ "$STOP" != build ] || { echo 'pool.cpp:7:1: error: no such thing' && exit 1; } ;;
  *) printf -- '-- Carbo 0.1.0\n--   Sanitizers OFF\n' ;;
esac
END
stand_in "$folder/bin/ctest" <<'END'
[ "$STOP" != test ] || { echo '50% tests passed, 1 tests failed out of 2' && exit 8; }
echo '100% tests passed, 0 tests failed out of 2'
END
stand_in "$folder/project/scripts/lint" <<'END'
[ "$STOP" != lint ]
END
stand_in "$folder/bin/apt-get" <<'END'
exit 1
END
stand_in "$folder/bin/python3" <<'END'
case "$*" in
  *sysconfig*) dirname "$0" ;;
  *'-m venv'*) for last; do :; done && mkdir -p "$last/bin" && cp "$0" "$last/bin/python" ;;
  *'pip install'*) printf '%s\n' "pip $*" >>"$CALLS" && [ "$STOP" != pip ] ;;
esac
END
stand_in "$folder/project/build/run/carbo" <<'END'
echo "ran with $# arguments, the last one $4"
END
stand_in "$folder/project/examples/compressor/make_data" <<'END'
echo data >records.bin
END
stand_in "$folder/project/examples/compressor/compare" <<'END'
echo "compared $(cat records.bin) by ${1##*/}"
END

# said STATUS COMMAND...: all that the script writes, which must end with that status.
said() {
  local wanted="$1" status=0
  shift
  (cd / && PATH="$folder/bin:$PATH" "$@" 2>&1) || status=$?
  ((status == wanted)) || { echo "$*: ended with $status, not $wanted" >&2 && exit 1; }
}
expect() { # TEXT PATTERN
  grep -q -- "$2" <<<"$1" || { printf 'expected "%s" in:\n%s\n' "$2" "$1" >&2 && exit 1; }
}

export STOP=
ran="$(said 0 "$folder/project/scripts/run" --budget 'two seconds')"
expect "$ran" '^ran with 4 arguments, the last one two seconds$'
expect "$ran" '^compared data by carbo$'
# What `cmake --install build/run` asks for.
expect "$(cat "$CALLS")" '^cmake --build --preset run -j [0-9]* --target carbo_cli carbo_installed$'

# Where PyPI is not reachable the rest is built and tested.
STOP='pip'
ran="$(said 0 "$folder/project/scripts/test")"
expect "$ran" 'NOT BUILT OR TESTED here'
expect "$ran" '^ci: lint passed; tests passed'
[[ ! -e "$folder/project/build/ci/python-env" ]]
STOP=
expect "$(said 0 "$folder/project/scripts/test")" '^ci: lint passed; tests passed, 100% tests passed, 0 tests failed out of 2'
# What was installed is not installed again, unless something else is wanted.
said 0 "$folder/project/scripts/test" >/dev/null
[[ "$(grep -c '^pip .*python/requirements.txt --requirement .*tests/python/requirements.txt$' "$CALLS")" == 2 ]]
echo numpy >>"$folder/project/python/requirements.txt"
said 0 "$folder/project/scripts/test" >/dev/null
[[ "$(grep -c '^pip ' "$CALLS")" == 3 ]]
STOP='lint'
expect "$(said 1 "$folder/project/scripts/test")" '^ci: lint FAILED; tests passed, 100% tests passed'
STOP='test'
expect "$(said 1 "$folder/project/scripts/test")" '^ci: lint passed; tests FAILED, 50% tests passed, 1 tests failed out of 2'
STOP='build'
for script in run test; do
  expect "$(said 1 "$folder/project/scripts/$script" | tail -n 1)" '^pool.cpp:7:1: error: no such thing$'
done
