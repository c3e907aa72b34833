#!/usr/bin/env python3
"""Translates the CUDA code inside executables and shared libraries: one shared object a PTX module.

usage: build_modules.py --output DIRECTORY [--arch 75] [--compiler g++] BINARY...
"""
import argparse
import hashlib
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from fatbin import Fatbin, PtxEntry, choose_ptx, find_fatbins
from module_emitter import ModuleEmitter
from ptx_parser import parse_module

HERE = os.path.dirname(os.path.abspath(__file__))
KERNEL_HEADERS = os.path.join(os.path.dirname(HERE), "kernel")
# No contraction: PTX says where a product and a sum are fused.
FLAGS = ["-std=c++20", "-O1", "-fno-strict-aliasing", "-fwrapv", "-ffp-contract=off", "-fPIC", "-shared", "-w"]


def processor_flags() -> list[str]:
    """One instruction for a fused product and sum instead of a call; the result is the same."""
    try:
        with open("/proc/cpuinfo") as file:
            return ["-mfma"] if " fma " in file.read() else []
    except OSError:
        return []


def tool_digest(command: list[str]) -> str:
    """Changes when the translator or the headers do, so that an old module is not taken for a new one."""
    digest = hashlib.sha256(" ".join(command).encode())
    for folder in (HERE, KERNEL_HEADERS):
        for name in sorted(os.listdir(folder)):
            if name.endswith((".py", ".hpp")):
                with open(os.path.join(folder, name), "rb") as file:
                    digest.update(file.read())
    return digest.hexdigest()


class Builder:
    def __init__(self, directory: str, command: list[str]):
        self.directory = directory
        self.command = command
        self.stamp = tool_digest(command)

    def path(self, key: str, suffix: str) -> str:
        return os.path.join(self.directory, key + suffix)

    def is_current(self, key: str) -> bool:
        try:
            with open(self.path(key, ".stamp")) as file:
                return file.read() == self.stamp and os.path.exists(self.path(key, ".so"))
        except OSError:
            return False

    def write(self, key: str, suffix: str, text: str) -> str:
        with open(self.path(key, suffix), "w") as file:
            file.write(text)
        return file.name

    def build(self, fatbin: Fatbin, entry: PtxEntry) -> str:
        """Returns a warning, or nothing."""
        key = fatbin.key
        if self.is_current(key):
            return ""
        emitter = ModuleEmitter(parse_module(entry.text))
        self.write(key, ".ptx", entry.text)
        source = self.write(key, ".cpp", emitter.emit())
        # Renamed into place when it is complete: another build may be at work in the same directory.
        unfinished = "%s.%d" % (self.path(key, ".so"), os.getpid())
        subprocess.run([*self.command, "-I", KERNEL_HEADERS, source, "-o", unfinished], check=True)
        os.replace(unfinished, self.path(key, ".so"))
        self.write(key, ".stamp", self.stamp)
        if emitter.unsupported:
            return "%s: stops if it reaches %s" % (key, " ".join(sorted(emitter.unsupported)))
        return ""

    def remove_others(self, keys: set[str]) -> None:
        """Modules of earlier versions of the program."""
        for name in os.listdir(self.directory):
            key, _, suffix = name.partition(".")
            if suffix in ("ptx", "cpp", "so", "stamp") and key not in keys:
                os.remove(os.path.join(self.directory, name))


def parse_arguments() -> argparse.Namespace:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--output", required=True)
    arguments.add_argument("--arch", type=int, help="which PTX to take where there are several; default: the lowest")
    arguments.add_argument("--compiler", default="g++")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments.add_argument("binaries", nargs="+")
    return arguments.parse_args()


def main() -> int:
    options = parse_arguments()
    os.makedirs(options.output, exist_ok=True)
    chosen = {}
    for binary in options.binaries:
        for fatbin in find_fatbins(binary):
            entry = choose_ptx(fatbin, options.arch)
            if entry:
                chosen[fatbin.key] = (fatbin, entry)
    if not chosen:
        print("no PTX found in " + " ".join(options.binaries), file=sys.stderr)
        return 1
    extra = shlex.split(os.environ.get("EMULATOR_CXXFLAGS", ""))
    builder = Builder(options.output, [options.compiler, *FLAGS, *processor_flags(), *extra])
    builder.remove_others(set(chosen))
    with ThreadPoolExecutor(options.jobs) as pool:
        for warning in pool.map(lambda item: builder.build(*item), chosen.values()):
            if warning:
                print(warning, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
