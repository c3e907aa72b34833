#!/usr/bin/env python3
"""Checks where an application waited for the device.

usage: check_waits.py LOG

LOG is what examples/cuda_app --trace wrote to stderr on the emulator with EMULATOR_WAITS=1: the application's
lines say when a call that is documented to wait begins and ends, the emulator's say what waited. No wait may lie
outside, and the application's own are those that its README names, as often as it says.
"""
import re
import sys
from collections import Counter

# The calls of carbo::Selector that are documented to wait, and that this application makes.
SELECTOR_CALLS = {"constructor", "set_pool", "append", "fit", "suggest", "design", "destructor"}
# The application's own, in two searches: one count of candidates each, and four arrays of pinned memory.
OWN_WAITS = {"application: candidates in play": 2, "application: pinned memory is given back": 8}
BOUNDARY = re.compile(r"wait (begins|ends): (.*)")
WAIT = re.compile(r"EMULATOR: wait: (\w+), called from (\S+)")


def check(lines: list[str]) -> Counter:
    """The number of waits in each call. Raises ValueError at the first line that should not be there."""
    inside = None
    waits: Counter = Counter()
    for number, line in enumerate(lines, 1):
        if boundary := BOUNDARY.fullmatch(line):
            what, name = boundary.groups()
            if name not in SELECTOR_CALLS and name not in OWN_WAITS:
                raise ValueError(f"line {number}: '{name}' is not documented to wait")
            if inside != (None if what == "begins" else name):
                raise ValueError(f"line {number}: '{line}' inside {inside}")
            inside = name if what == "begins" else None
        elif wait := WAIT.fullmatch(line):
            call, module = wait.groups()
            if inside is None:
                raise ValueError(f"line {number}: {module} calls {call} after '{lines[number - 2]}'")
            if (inside in OWN_WAITS) != (module == "cuda_app"):
                raise ValueError(f"line {number}: {module} calls {call} inside {inside}")
            waits[inside] += 1
        else:
            raise ValueError(f"line {number} is not understood: {line}")
    if inside is not None:
        raise ValueError(f"{inside} does not end")
    for name, wanted in OWN_WAITS.items():
        if waits[name] != wanted:
            raise ValueError(f"{waits[name]} waits in '{name}', not {wanted}")
    return waits


def main() -> int:
    with open(sys.argv[1]) as file:
        lines = file.read().splitlines()
    try:
        waits = check(lines)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    # A log without waits would prove nothing.
    missing = {"set_pool", "append", "fit", "suggest", "design"} - set(waits)
    if missing:
        print(f"no wait was seen in {', '.join(sorted(missing))}", file=sys.stderr)
        return 1
    print(", ".join(f"{name} {count}" for name, count in sorted(waits.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
