"""Docstrings, pages and examples: every block of Python runs and prints what stands below it."""
import contextlib
import doctest
import importlib
import io
import pathlib
import pkgutil
import re
import runpy
import sys

import pytest
from conftest import ROOT

import carbo

OPTIONAL = {"optuna", "ray", "sklearn", "dask", "ConfigSpace", "mpi4py", "submitit", "torch", "pandas", "matplotlib"}


def blocks(page):
    """(language, first line, text) of every fenced block."""
    found, language, first, lines = [], None, 0, []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```"):
            if language is None:
                language, first, lines = line[3:].strip(), number + 1, []
            else:
                found.append((language, first, "\n".join(lines) + "\n"))
                language = None
        elif language is not None:
            lines.append(line)
    return found


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", [p for p in PAGES if any(b[0] == "python" for b in blocks(p))], ids=lambda p: p.name)
def test_pages(page, tmp_path, monkeypatch):
    """The blocks of a page are one program, one after the other."""
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "page"}
    found = blocks(page)
    for (language, first, text), after in zip(found, [*found[1:], ("", 0, "")]):
        if language != "python":
            continue
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile("\n" * (first - 1) + text, str(page), "exec"), names)
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in OPTIONAL:
                raise
            pytest.skip(f"{page.name}:{first}: {error}")
        if after[0] == "text":
            assert printed.getvalue() == after[2], f"{page}:{first}"


@pytest.mark.parametrize("name", [each.name for each in pkgutil.iter_modules(carbo.__path__) if each.name != "_carbo"])
def test_docstrings(name):
    try:
        module = importlib.import_module(f"carbo.{name}")
    except ImportError as error:
        if (getattr(error, "name", "") or "").partition(".")[0] not in OPTIONAL:
            raise
        pytest.skip(str(error))
    failed, tried = doctest.testmod(module)
    assert failed == 0


def test_everything_public_is_explained():
    for name in carbo.__all__:
        thing = getattr(carbo, name)
        assert callable(thing) and thing.__doc__, name
        assert not re.match(rf"{name}\(.*\)$", thing.__doc__), f"{name} has the docstring of a dataclass"


EXAMPLES = sorted((ROOT / "examples" / "python").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.stem)
def test_examples(example, tmp_path, monkeypatch, capsys):
    """At the size that they take by the argument `quick`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(example), "quick"])
    try:
        runpy.run_path(str(example), run_name="__main__")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in OPTIONAL:
            raise
        pytest.skip(str(error))
    assert capsys.readouterr().out.strip()


def test_the_notebook_runs(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    for path in sorted((ROOT / "examples" / "python").glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        client.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
        shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
        assert any("text/html" in output.get("data", {}) for output in shown)
