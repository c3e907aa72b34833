"""Finds the fat binaries inside an executable or a shared library and takes their PTX out.

nvcc puts one fat binary a translation unit into the section .nv_fatbin: a header, then entries, each a header and a
payload. An entry is a cubin or PTX text; PTX is stored as text (--no-compress) or as one zstd frame (the default).
"""
import shutil
import struct
import subprocess
import zlib
from dataclasses import dataclass

FATBIN_MAGIC = struct.pack("<I", 0xBA55ED50)
ZSTD_MAGIC = struct.pack("<I", 0xFD2FB528)
KIND_PTX = 1


class FatbinError(Exception):
    pass


@dataclass
class PtxEntry:
    arch: int
    text: str


@dataclass
class Fatbin:
    key: str
    ptx: list[PtxEntry]
    cubins: int


def decompress_zstd(frame: bytes) -> bytes:
    try:
        import zstandard

        return zstandard.ZstdDecompressor().decompressobj().decompress(frame)
    except ImportError:
        pass
    program = shutil.which("zstd")
    if not program:
        raise FatbinError(
            "the PTX is compressed and neither the Python module 'zstandard' nor the program 'zstd' is installed; "
            "compile with nvcc --no-compress"
        )
    return subprocess.run([program, "-dcq"], input=frame, stdout=subprocess.PIPE, check=True).stdout


def module_key(fatbin: bytes) -> str:
    """The name under which the runtime looks for the translated module; runtime/modules.cpp computes the same."""
    return "%08x_%x" % (zlib.crc32(fatbin), len(fatbin))


def read_ptx_entry(header: bytes, payload: bytes) -> PtxEntry:
    stored_size = struct.unpack_from("<I", header, 16)[0]
    arch = struct.unpack_from("<I", header, 28)[0]
    if payload[:4] == ZSTD_MAGIC:
        # The payload is padded; the decoder must see the frame alone.
        payload = decompress_zstd(payload[:stored_size] if stored_size else payload)
    text = payload.split(b"\0", 1)[0].decode()
    if ".version" not in text:
        raise FatbinError("a PTX entry is in an unknown compression; compile with nvcc --no-compress")
    return PtxEntry(arch, text)


def read_fatbin(image: bytes, start: int):
    _, _, header_size, size = struct.unpack_from("<IHHQ", image, start)
    end = start + header_size + size
    if header_size != 16 or end > len(image):
        return None
    fatbin = Fatbin(module_key(image[start:end]), [], 0)
    position = start + header_size
    while position + 16 <= end:
        kind, _, entry_header_size, entry_size = struct.unpack_from("<HHIQ", image, position)
        if entry_header_size < 32 or position + entry_header_size + entry_size > end:
            return None
        payload_start = position + entry_header_size
        if kind == KIND_PTX:
            header = image[position:payload_start]
            fatbin.ptx.append(read_ptx_entry(header, image[payload_start : payload_start + entry_size]))
        else:
            fatbin.cubins += 1
        position = payload_start + entry_size
    return fatbin


def find_fatbins(path: str) -> list[Fatbin]:
    with open(path, "rb") as file:
        image = file.read()
    found = []
    start = image.find(FATBIN_MAGIC)
    while start >= 0:
        fatbin = read_fatbin(image, start)
        if fatbin:
            found.append(fatbin)
        start = image.find(FATBIN_MAGIC, start + 4)
    return found


def choose_ptx(fatbin: Fatbin, wanted_arch: int | None):
    """The wanted architecture, or the lowest: it uses the fewest special instructions."""
    entries = sorted(fatbin.ptx, key=lambda entry: entry.arch)
    for entry in entries:
        if wanted_arch is None or entry.arch == wanted_arch:
            return entry
    return None
