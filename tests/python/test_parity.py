"""The same suggestions, states and files from Python as from C++ and the command line."""
import json
import subprocess

from conftest import program, readme_space, readme_study, readme_train

import carbo


def lines_of(suggestions, space):
    return [
        " ".join([str(s.id), *(number.hex() for number in space._numbers(s.params))]) for s in suggestions
    ]


def same(python_lines, cpp_text):
    def parsed(line):
        id, *numbers = line.split()
        return int(id), [float.fromhex(number) for number in numbers]

    return [parsed(line) for line in python_lines] == [parsed(line) for line in cpp_text.splitlines()]


def go_on(study):
    made = []
    while not study.done:
        for s in study.ask():
            made.append(s)
            study.tell(s, readme_train(s.params))
    return made


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_readmes_run_suggests_what_cpp_does():
    parity = program("CARBO_PARITY")
    study = readme_study()
    suggested = go_on(study)
    assert len(suggested) == 58
    assert same(lines_of(suggested, study.space), run(parity, "run"))


def test_minimize_evaluates_the_same_points():
    study = readme_study()
    asked = [s.params for s in go_on(study)]
    result = carbo.minimize(
        readme_train, readme_space(), budget=100, batch_size=2, seed=7, accounting="longest"
    )
    assert [trial.params for trial in result.trials] == asked
    assert result.best.params == study.best.params and result.spent == study.spent


def test_state_of_cpp_goes_on_in_python(tmp_path):
    parity = program("CARBO_PARITY")
    whole = run(parity, "run")
    study = carbo.Study.load(run(parity, "save", "10"))
    assert study.space == readme_space()
    rest = go_on(study)
    assert same(lines_of(rest, study.space), "\n".join(whole.splitlines()[20:]))


def test_state_of_python_goes_on_in_cpp(tmp_path):
    parity = program("CARBO_PARITY")
    study = readme_study()
    for _ in range(8):
        for s in study.ask():
            study.tell(s, readme_train(s.params))
    study.save(tmp_path / "state.json")
    text = run(parity, "go_on", str(tmp_path / "state.json"))
    assert same(lines_of(go_on(study), study.space), text)


def test_file_of_python_is_the_programs(tmp_path):
    cli = program("CARBO_CLI")
    file = tmp_path / "a study.db"
    space = carbo.Space(rate=carbo.real(1e-3, 1, log=True), opt=carbo.categorical(["adam", None]))
    study = carbo.Study(space, file=file, name="nets", budget=30, unit="EUR", seed=2)
    for _ in range(5):
        for s in study.ask():
            study.tell(s, s.params["rate"], cost=2.0, metrics={"accuracy": 0.5})
    best = json.loads(run(cli, "best", str(file), "--json"))
    text = json.dumps(best)
    assert repr(study.best.params["rate"])[:12] in text
    assert "10" in run(cli, "status", str(file))
    run(cli, "report", str(file), "--output", str(tmp_path / "page.html"))
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "nets" in page and "accuracy" in page
