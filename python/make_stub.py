"""make_stub.py [FILE]: writes python/carbo/_carbo.pyi, the types of the compiled module as nanobind knows them.

Containers whose elements it does not know hold Any. Run with the package on PYTHONPATH."""
import pathlib
import re
import subprocess
import sys
import tempfile

HEAD = '"""The compiled module, as python/make_stub.py writes it."""\n'


def stub() -> str:
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / "_carbo.pyi"
        subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "carbo._carbo", "-o", made], check=True)
        text = made.read_text(encoding="utf-8")
    text = re.sub(r"Annotated\[NDArray\[numpy\.\w+\], dict\(.*?\)\]", "Any", text)
    text = re.sub(r"\bobject\b", "Any", text)
    text = re.sub(r"\blist\b(?!\[)", "list[Any]", text)
    text = re.sub(r"\bdict\b(?!\[)", "dict[str, Any]", text)
    text = re.sub(r"\btuple\b(?!\[)", "tuple[Any, ...]", text)
    text = re.sub(r"^(from typing import .*|import numpy|from numpy\.typing .*)\n", "", text, flags=re.MULTILINE)
    lines = text.strip("\n").splitlines()
    imports = [line for line in lines if line.startswith(("from ", "import "))]
    body = "\n".join(line for line in lines if line not in imports).strip("\n")
    return HEAD + "\n".join(imports + ["from typing import Any"]) + "\n\n" + body + "\n"


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "carbo" / "_carbo.pyi"
    target.write_text(stub(), encoding="utf-8")
