"""Types: the package and the examples under mypy's strictest, and the stub as the module is."""
import pathlib
import subprocess
import sys

import pytest
from conftest import ROOT


def test_the_stub_is_the_modules():
    pytest.importorskip("nanobind")
    sys.path.insert(0, str(ROOT / "python"))
    try:
        from make_stub import stub
    finally:
        sys.path.pop(0)
    assert stub() == (ROOT / "python/carbo/_carbo.pyi").read_text(encoding="utf-8"), "run python/make_stub.py"


def test_strict_types():
    pytest.importorskip("mypy")
    examples = [str(path) for path in sorted((ROOT / "examples/python").glob("*.py"))]
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--cache-dir", "/dev/null",
         "--ignore-missing-imports", "--disable-error-code", "import-untyped", str(ROOT / "python/carbo"), *examples],
        capture_output=True, text=True, cwd=ROOT,
    )
    assert ran.returncode == 0, ran.stdout
