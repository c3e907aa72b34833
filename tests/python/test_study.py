"""Ask and tell: settings, results, what the models know, files, states and pickles."""
import math
import pickle

import pytest

import carbo
from carbo import _carbo


def peak(x):
    return (x["x"] - 0.3) ** 2


def spend(study, cost=1.0):
    while not study.done:
        for s in study.ask():
            study.tell(s, peak(s.params), cost=cost)


def one(**settings):
    return carbo.Study(carbo.Space(x=carbo.real(0, 1)), **{"budget": 12, "seed": 1, **settings})


def test_every_setting_of_the_engine_is_reachable_by_its_name():
    study = one()
    names = set(_carbo.option_names())
    assert len(names) > 50

    def walk(tree, group=""):
        for key, value in tree.items():
            if isinstance(value, dict) and any(name.startswith(f"{group}{key}.") for name in names):
                yield from walk(value, f"{group}{key}.")
            else:
                yield f"{group}{key}", value

    options = dict(walk(study.options))
    absent = {"cost.features", "cost.known", "cost.known_part", "design.points"}
    for name, value in options.items():
        assert name in names
        if name in absent or name == "budget":
            continue
        settings = value
        for part in reversed(name.split(".")):
            settings = {part: settings}
        again = one(**settings)
        assert dict(walk(again.options))[name] == value


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"budgte": 3}, "did you mean 'budget'"),
        ({"design": {"least_gains": 1}}, "'design.least_gains'.*least_gain'"),
        ({"cost": {"surrogate": {"restart": 1}}}, "'cost.surrogate.restart'.*'restarts'"),
        ({"zebra": 1}, "known are budget"),
        ({"goal": "minimise"}, "goal: 'minimise' is none of minimize, maximize"),
        ({"budget": math.nan}, "budget is nan"),
        ({"budget": -1}, "budget is -1"),
        ({"budget": None}, "budget"),
        ({"budget": "soon"}, "budget"),
        ({"budget": "2 evaluations", "max_evaluations": 3}, "max_evaluations is 3"),
        ({"budget": "2h", "unit": "EUR"}, "EUR"),
        ({"unit": "EUR", "cost": {"unit": "USD"}}, "USD"),
        ({"seed": -1}, "seed"),
        ({"seed": 1.5}, "seed"),
        ({"batch_size": 0}, "batch_size"),
        ({"design": 3}, "design is 3"),
        ({"candidates": {"pool": [[0.5, 0.5]]}}, "columns"),
        ({"cost": {"features": "x"}}, "give a list"),
        ({"cost": {"features": [object()]}}, "cost.features\\[0\\]"),
        ({"cost": {"known": "x +"}}, "x \\+"),
        ({"cost": {"known": "y"}}, "'y'"),
        ({"owner": "me"}, "file="),
        ({"name": "me"}, "file="),
    ],
)
def test_bad_settings_are_refused(settings, words):
    with pytest.raises((carbo.InvalidOptions, carbo.InvalidPool), match=words):
        one(**settings)


def test_budgets_have_units():
    assert one(budget="2 min").budget == 120
    assert one(budget="1h 30min", unit="h").budget == 1.5
    euros = one(budget="25 EUR")
    assert euros.budget == 25 and euros.unit == "EUR"
    few = one(budget="3 evaluations")
    spend(few)
    assert len(few.trials) == 3 and few.stop_reason == "maximum number of evaluations"


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda s, q: s.tell(q, math.nan, cost=1), carbo.InvalidObservation),
        (lambda s, q: s.tell(q, math.inf, cost=1), carbo.InvalidObservation),
        (lambda s, q: s.tell(q, 1, cost=0), carbo.InvalidObservation),
        (lambda s, q: s.tell(q, 1), carbo.InvalidObservation),
        (lambda s, q: s.tell(q, "low", cost=1), carbo.InvalidObservation),
        (lambda s, q: s.tell(q, None, cost=1), carbo.InvalidObservation),
        (lambda s, q: s.tell(q, carbo.Evaluation(1, cost=2), cost=1), carbo.InvalidObservation),
        (lambda s, q: s.tell(99, 1, cost=1), carbo.UnknownSuggestion),
        (lambda s, q: s.tell("first", 1, cost=1), carbo.UnknownSuggestion),
        (lambda s, q: s.tell({"y": 1}, 1, cost=1), carbo.InvalidConfiguration),
        (lambda s, q: s.tell({"x": 1}, 1, cost=1, origin="mine"), carbo.InvalidOptions),
        (lambda s, q: s.fail(q, -1, "no"), carbo.InvalidObservation),
        (lambda s, q: s.withdraw(17), carbo.UnknownSuggestion),
        (lambda s, q: s.ask(-1), carbo.InvalidOptions),
        (lambda s, q: s.ask(1.5), carbo.InvalidOptions),
        (lambda s, q: s.ask(10**6), carbo.InvalidOptions),
        (lambda s, q: s.predict({"x": 2}), carbo.InvalidConfiguration),
        (lambda s, q: s.predict({"x": 1}, coverage=2), carbo.InvalidOptions),
        (lambda s, q: s.importance("price"), carbo.InvalidOptions),
        (lambda s, q: s.renew([q]), carbo.InvalidOptions),
    ],
)
def test_bad_calls_change_nothing(call, error):
    study = one()
    (q,) = study.ask(1)
    before = study.save()
    with pytest.raises(error):
        call(study, q)
    assert study.save() == before
    study.tell(q, 1.0, cost=1.0)


def test_all_that_can_be_told():
    study = one(budget=100)
    a, b, c, d = study.ask(4)
    study.tell(a, carbo.Evaluation(1.0, cost=2.0))
    study.fail(b, 3.0, "it broke")
    study.fail(c.id, 4.0, "too long", timed_out=True)
    study.withdraw(d)
    study.tell({"x": 0.25}, 0.5)
    study.tell({"x": 0.75}, 0.7, cost=9.0)
    study.tell({"x": 0.5}, 0.6, cost=5.0, origin="this_run", phase="search")
    adopted = study.adopt({"x": 0.125})
    study.enqueue({"x": 0.0625})
    states = [(t.state, t.origin, t.objective, t.cost, t.reason) for t in study.trials]
    assert states == [
        ("succeeded", "this_run", 1.0, 2.0, ""),
        ("failed", "this_run", None, 3.0, "it broke"),
        ("timed_out", "this_run", None, 4.0, "too long"),
        ("succeeded", "prior", 0.5, None, ""),
        ("succeeded", "prior", 0.7, 9.0, ""),
        ("succeeded", "this_run", 0.6, 5.0, ""),
        ("running", "this_run", None, None, ""),
    ]
    assert study.best.objective == 0.5 and study.enqueued == [{"x": 0.0625}]
    assert [s.id for s in study.pending] == [adopted]
    (next_one,) = study.ask(1)
    assert next_one.params == {"x": 0.0625} and next_one.receipt.enqueued
    assert not study.dequeue({"x": 0.0625})
    study.tell(adopted, 0.9, cost=1.0)


def test_what_the_models_know(study):
    prediction = study.predict({"x": 0.3, "n": 1})
    assert prediction.objective.lower < prediction.objective.median < prediction.objective.upper
    assert prediction.cost.median > 0
    both = study.predict([{"x": 0.3, "n": 1}, {"x": 0.9, "n": 5}])
    assert both[0] == prediction and both[1].objective.median > prediction.objective.median
    assert study.recommend().params in [t.params for t in study.trials]
    shares = {one.name: one.total for one in study.importance().parameters}
    assert shares["n"] > shares["x"]
    assert study.importance("cost").parameters[0].total > 0.5
    fitted = study.hyperparameters()
    assert len(fitted.objective.hyperparameters.lengthscales) == 2
    ranked = study.rank(5)
    assert [r.log_score for r in ranked] == sorted((r.log_score for r in ranked), reverse=True)
    assert study.ask(1)[0].params == ranked[0].params
    assert study.memory_plan().total_bytes > 0


def test_receipts_are_typed(study):
    (s,) = study.ask(1)
    receipt = s.receipt
    assert receipt.phase == "search" and receipt.backend == "cpu" and receipt.predicted_cost > 0
    assert receipt.objective_points.used == 6 and receipt.seconds.fit >= 0
    assert set(receipt.transform_scores) >= {"none"} and receipt.transform in receipt.transform_scores
    assert pickle.loads(pickle.dumps(s)) == s


def test_costs_by_formula_callable_and_network():
    space = carbo.Space(units=carbo.integer(1, 64), epochs=carbo.integer(1, 10))
    calls = []

    def flops(x):
        calls.append(x)
        return x["units"] * x["epochs"]

    def suggestions(features):
        study = carbo.Study(space, budget=1e6, seed=4, max_evaluations=14, cost={"model": "linear", "features": features})
        made = []
        while not study.done:
            for s in study.ask():
                made.append(s.params)
                study.tell(s, -s.params["units"], cost=2 + s.params["units"] * s.params["epochs"])
        return made

    text = suggestions([carbo.work("units * epochs")])
    assert suggestions([carbo.work(flops, name="units * epochs")]) == text and calls[0].keys() == {"units", "epochs"}
    network = suggestions([carbo.mlp_features([3, "units", lambda x: 10], epochs="epochs")])
    assert len(network) == 14
    known = carbo.Study(space, budget=50, cost={"known": lambda x: 1.0 + x["units"]}, seed=1)
    assert known.predict({"units": 9, "epochs": 1}).cost.median == pytest.approx(10.0)


def test_a_pool_is_the_only_source_of_points():
    rows = [{"x": i / 7} for i in range(8)]
    study = one(budget=100, candidates={"pool": rows}, cost={"known_part": [1.0 + i for i in range(8)]})
    seen = []
    while not study.done:
        for s in study.ask():
            assert s.params == rows[s.pool_index]
            seen.append(s.pool_index)
            study.tell(s, peak(s.params), cost=1.0 + s.pool_index)
    assert sorted(seen) == list(range(8)) and study.stop_reason == "every candidate evaluated"


def test_a_mapped_pool(tmp_path):
    numpy = pytest.importorskip("numpy")
    numpy.linspace(0, 1, 100).tofile(tmp_path / "rows.bin")
    space = carbo.Space(x=carbo.real(0, 1))
    pool = carbo.Pool.map(space, tmp_path / "rows.bin")
    assert len(pool) == 100
    study = carbo.Study(space, budget=5, candidates={"pool": pool})
    assert study.ask(1)[0].pool_index is not None


def allowed(x):
    return x["x"] < 0.9


def test_states_carry_code_by_name():
    space = carbo.Space(x=carbo.real(0, 1)).constrain(allowed, "low")
    study = carbo.Study(space, budget=20, seed=1, cost={"known": lambda x: 1.0})
    (s,) = study.ask(1)
    text = study.save()
    with pytest.raises(carbo.InvalidState, match="low"):
        carbo.Study.load(text)
    again = carbo.Study.load(text, space=space, cost={"known": lambda x: 1.0})
    for each in (study, again):
        each.tell(s.id, 0.5, cost=1.0)
    assert [q.params for q in again.ask(3)] == [q.params for q in study.ask(3)]
    for bad in ("{", "[]", text[:-20], text.replace('"version": 1', '"version": 99')):
        with pytest.raises((carbo.InvalidState, OSError)):
            carbo.Study.load(bad)


def test_studies_in_memory_pickle_with_their_code():
    space = carbo.Space(x=carbo.real(0, 1), c=carbo.categorical([None, "a"])).constrain(allowed, "low")
    study = carbo.Study(space, budget=20, seed=1)
    study.tell(study.ask(1)[0], 0.5, cost=1.0)
    pending = study.ask(1)[0]
    again = pickle.loads(pickle.dumps(study))
    assert again.trials == study.trials and [s.params for s in again.pending] == [pending.params]
    for each in (study, again):
        each.tell(pending.id, 0.25, cost=1.0)
    assert [s.params for s in again.ask(2)] == [s.params for s in study.ask(2)]


def test_files_keep_everything(tmp_path):
    file = tmp_path / "a b.db"
    space = carbo.Space(x=carbo.real(0, 1), c=carbo.categorical(["a", None, 2]))
    with carbo.Study(space, file=file, budget=20, seed=1) as study:
        assert study.name == "a b" and study.file == file
        s, t = study.ask(2)
        study.begin(s, "left")
        study.report(s, 1, loss=0.5)
        study.renew([s, t])
        study.tell(s, 0.5, cost=1.0, metrics={"accuracy": 0.75})
        study.release([t])
        study.set_attribute("note", "é")
        assert study.receipt(s).phase == "warm start"
        with pytest.raises(carbo.IncompatibleStudy):
            carbo.Study(carbo.Space(y=carbo.real(0, 1)), file=file, budget=20)
        trials = study.trials
        copy = pickle.loads(pickle.dumps(study))
    with pytest.raises(carbo.StorageError, match="closed"):
        study.ask()
    assert copy.trials == trials
    again = carbo.Study.open(file)
    assert again.space == space and again.trials == trials and again.attribute("note") == "é"
    assert again.trials[0].metrics == {"accuracy": 0.75} and again.trials[0].worker == "left"
    assert [q.params for q in again.ask(1)] == [t.params]
    (summary,) = carbo.Study.list(file)
    assert (summary.name, summary.succeeded, summary.running) == ("a b", 1, 1)
    with pytest.raises(carbo.UnknownStudy):
        carbo.Study.open(file, "other")
    with pytest.raises(carbo.StorageError):
        carbo.Study.open(tmp_path / "none.db")
    carbo.Study.remove(file, "a b")
    assert carbo.Study.list(file) == []


def test_wider_bounds_go_on_and_files_go_on_like_memory(tmp_path):
    def suggestions(study):
        made = []
        while not study.done:
            for s in study.ask():
                made.append(s.params)
                study.tell(s, peak(s.params), cost=1.0)
        return made

    settings = {"budget": 14, "seed": 5}
    assert suggestions(one(file=tmp_path / "s.db", **settings)) == suggestions(one(**settings))
    wider = carbo.Study(carbo.Space(x=carbo.real(0, 2)), file=tmp_path / "s.db", budget=16, seed=5)
    assert len(suggestions(wider)) == 2 and len(wider.trials) == 16


def test_goals_and_acquisitions():
    best = carbo.Study(carbo.Space(x=carbo.real(0, 1)), budget=25, goal="maximize", acquisition="ei", seed=1)
    while not best.done:
        for s in best.ask():
            best.tell(s, -peak(s.params), cost=1.0)
    assert best.best.objective == max(t.objective for t in best.trials) and best.goal == "maximize"
    assert abs(best.best.params["x"] - 0.3) < 0.05


def test_display(study):
    text = study._repr_html_()
    assert "<svg" in text and "best objective" in text and "evaluations" in text
    assert "carbo.Study in memory" in repr(study)
    frame = pytest.importorskip("pandas") and study.to_pandas()
    assert list(frame["params_x"]) == [t.params["x"] for t in study.trials] and len(frame) == 6
