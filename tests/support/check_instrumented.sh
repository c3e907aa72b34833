#!/bin/sh
# check_instrumented.sh PROGRAM: whether its copy of the library is the one under the address sanitizer, wherever else one
# may have been had. Looks at one function that every program has.
symbol="$(nm "$1" | sed -n 's/.* [tT] \(.*proposal2_scale.*\)/\1/p')"
objdump --disassemble="$symbol" "$1" | grep -q __asan_report
