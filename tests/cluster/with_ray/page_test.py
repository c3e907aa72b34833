"""The blocks of docs/clusters.md that need Ray."""
from __future__ import annotations

import pathlib
import re

import pytest

ray = pytest.importorskip("ray")

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "clusters.md"


def test_the_page_runs_and_prints_what_it_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    try:
        blocks = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
        assert blocks
        for code, printed in blocks:
            exec(compile(code, str(PAGE), "exec"), {"__name__": "page"})
            assert capsys.readouterr().out == printed
    finally:
        ray.shutdown()
