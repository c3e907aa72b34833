"""The folder for OptunaHub, loaded as its users load it, from this tree instead of the registry."""
import re
import runpy

import pytest
from conftest import ROOT

optuna = pytest.importorskip("optuna", reason="Optuna is not installed (tests/python/requirements.txt)")
optunahub = pytest.importorskip("optunahub", reason="optunahub is not installed (tests/python/requirements.txt)")

FOLDER = ROOT / "python/optunahub"
optuna.logging.set_verbosity(optuna.logging.ERROR)


def test_the_package_is_whole():
    package = FOLDER / "samplers/carbo"
    assert sorted(path.name for path in package.iterdir() if path.is_file()) == [
        "LICENSE", "README.md", "__init__.py", "example.py",
    ]  # fmt: skip
    assert (package / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
    front = re.match(r"---\n(.*?)\n---\n", (package / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    fields = dict(line.split(": ", 1) for line in front.group(1).splitlines())
    assert list(fields) == ["author", "title", "description", "tags", "optuna_versions", "license"]
    assert optuna.__version__.partition(".")[0] in fields["optuna_versions"]


def test_it_loads_and_samples():
    module = optunahub.load_local_module("samplers/carbo", registry_root=str(FOLDER))
    sampler = module.CarboSampler(budget=12, cost=lambda trial: 1.0, seed=1)
    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda trial: (trial.suggest_float("x", -5, 5) - 2) ** 2)
    assert len(study.trials) == 12 and study.best_value < 1.0


def test_its_example_runs(monkeypatch, capsys):
    local = optunahub.load_local_module
    monkeypatch.setattr(optunahub, "load_module", lambda package: local(package, registry_root=str(FOLDER)))
    runpy.run_path(str(FOLDER / "samplers/carbo/example.py"), run_name="__main__")
    assert "'layers': 6" in capsys.readouterr().out
