#!/usr/bin/env bash
# issue_slots_test.sh SCRIPT FOLDER: what scripts/issue_slots counts in code whose loops are known, and what it says
# without nvdisasm.
set -euo pipefail
script="$1" folder="$2"
rm -rf "$folder" && mkdir -p "$folder"
cat >"$folder/code.sass" <<'CODE'
.text._Z4passv:
        /*0000*/                   MOV R1, c[0x0][0x28] ;
.L_x_1:
        /*0010*/                   LDS.128 R4, [R2] ;
        /*0020*/                   DADD R6, R4, -R8 ;
.L_x_0:
        /*0030*/                   DFMA R10, R6, R6, R10 ;
        /*0040*/                   MUFU.RSQ64H R13, R11 ;
        /*0050*/               @P0 BRA `(.L_x_0) ;
        /*0060*/                   DMUL R14, R10, R12 ;
        /*0070*/              @!P1 BRA `(.L_x_1) ;
        /*0080*/                   EXIT ;
.L_x_2:
        /*0090*/                   BRA `(.L_x_2);
        /*00a0*/                   NOP;
CODE
found="$("$script" --sass "$folder/code.sass")"
expect() { # PATTERN
  grep -q -- "$1" <<<"$found" || { printf 'expected "%s" in:\n%s\n' "$1" "$found" >&2 && exit 1; }
}
# slots, float64, of them fma, special, shared, device memory, branches, calls: the outer loop without the inner one.
expect '| `pass` | 0x0010 | 4 | 2 | 0 | 0 | 1 | 0 | 1 | 0 |$'
expect '| `pass` | 0x0030 | 3 | 1 | 1 | 1 | 0 | 0 | 1 | 0 |$'
(($(wc -l <<<"$found") == 4)) || { echo "more loops than there are: $found" >&2 && exit 1; }
status=0
"$script" --nvdisasm "$folder/nowhere" 2>"$folder/said" || status=$?
((status == 77)) && grep -q 'was not found; it comes with the CUDA toolkit' "$folder/said"
