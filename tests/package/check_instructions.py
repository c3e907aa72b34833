#!/usr/bin/env python3
"""Checks that code for newer processors stays inside the levels of libcarbo.

usage: check_instructions.py LIBRARY LEVELS PROGRAM...

LIBRARY is libcarbo.a, LEVELS the names of its levels with commas, PROGRAM a program or shared library that holds it.
Instructions are told by their first byte: in 64-bit code 0xC4 and 0xC5 begin the VEX encodings (AVX, FMA, BMI) and
nothing else, 0x62 the EVEX encodings (AVX-512).
"""
import os
import re
import subprocess
import sys
import tempfile

INSTRUCTION = re.compile(r"^\s*[0-9a-f]+:\t([0-9a-f]{2}(?: [0-9a-f]{2})*) *\t(\S+)")
LABEL = re.compile(r"^([0-9a-f]+) <(.+)>:$")
# Prefixes that may stand before a VEX or EVEX encoding.
SEGMENTS = {"26", "2e", "36", "3e", "64", "65", "67"}
# Not marked by their first byte, and unknown to x86-64-v2.
NEWER = {"lzcnt", "movbe"}


def output_of(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def newer_code(file: str) -> dict[tuple[int, str], set[str]]:
    """Functions with instructions beyond x86-64-v2 by address and name, and which kinds: VEX, EVEX or one's name."""
    found: dict[tuple[int, str], set[str]] = {}
    function = (0, "?")
    for line in output_of("objdump", "-d", "--wide", file).splitlines():
        label = LABEL.match(line)
        if label:
            function = (int(label.group(1), 16), label.group(2))
            continue
        match = INSTRUCTION.match(line)
        if not match:
            continue
        name = match.group(2)
        first = next(byte for byte in match.group(1).split() if byte not in SEGMENTS)
        kind = {"c4": "VEX", "c5": "VEX", "62": "EVEX"}.get(first, name if name in NEWER else None)
        if kind:
            found.setdefault(function, set()).add(kind)
    return found


def visible_symbols(file: str, *options: str) -> set[tuple[int, str]]:
    """Defined symbols that a linker may take for those of another file: global, weak and unique ones."""
    fields = [line.split() for line in output_of("nm", "--defined-only", *options, file).splitlines()]
    return {(int(f[0], 16), f[2]) for f in fields if len(f) == 3 and (f[1].isupper() or f[1] in "uvw")}


def check_members(library: str, levels: list[str]) -> list[str]:
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        members = output_of("ar", "t", library).split()
        kinds_of_level = {}
        for i, member in enumerate(members):
            # Several may have one name: the second is asked for as such.
            place = str(members[: i + 1].count(member))
            subprocess.run(["ar", "xN", place, os.path.abspath(library), member], check=True, cwd=folder)
            file = os.path.join(folder, member)
            kinds = newer_code(file)
            level = next((name for name in levels if member == "carbo_%s.o" % name), None)
            if level is None:
                faults += ["%s: %s has %s" % (member, f[1], ", ".join(sorted(k))) for f, k in kinds.items()]
                continue
            kinds_of_level[level] = set().union(*kinds.values()) if kinds else set()
            visible = {name for _, name in visible_symbols(file)}
            if visible != {"carbo_cpu_backend_" + level}:
                faults.append("%s: visible are %s" % (member, ", ".join(sorted(visible))))
    expected = {"v2": set(), "v3": {"VEX"}, "v4": {"VEX", "EVEX"}}
    for level in levels:
        kinds = kinds_of_level.get(level)
        if kinds is None or not kinds - NEWER == expected[level]:
            faults.append("carbo_%s.o: %s, expected %s" % (level, kinds, expected[level]))
    print("%s: %d members, levels %s" % (os.path.basename(library), len(members), kinds_of_level))
    return faults


def check_program(program: str) -> list[str]:
    """No function that another object could have called by its name has newer code in it."""
    newer = newer_code(program)
    visible = visible_symbols(program) | visible_symbols(program, "--dynamic")
    print("%s: %d functions with newer code" % (os.path.basename(program), len(newer)))
    return ["%s: %s is visible and has newer code" % (program, name) for _, name in sorted(visible & set(newer))
            if not name.startswith("carbo_cpu_backend_")]


def main() -> int:
    library, levels, *programs = sys.argv[1:]
    faults = check_members(library, levels.split(","))
    for program in programs:
        faults += check_program(program)
    for fault in faults[:40]:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
