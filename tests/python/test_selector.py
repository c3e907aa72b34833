"""The selector: arrays where they lie, and the same picks whatever they lie in."""
import numpy as np
import pytest
from capsule import Capsule

import carbo
from carbo import _carbo

RNG = np.random.default_rng(5)
POOL = RNG.random((500, 4))
ROWS = np.arange(8)
OBJECTIVES = ((POOL[:8] - 0.4) ** 2).sum(axis=1)
COSTS = 1 + POOL[:8, 0]


def picks(pool, **settings):
    selector = carbo.Selector(pool, **settings)
    selector.append(rows=ROWS, objectives=OBJECTIVES, costs=COSTS)
    return selector.suggest(5, alpha=0.5).tolist()


def test_arrays_are_seen_where_they_are():
    for array in (
        POOL,
        np.asfortranarray(POOL),
        POOL[::3],
        POOL[:, 1:3],
        POOL.astype(np.float32),
        np.lib.stride_tricks.as_strided(POOL, (100, 2), (64, 8)),
    ):
        address, scalar, memory, order, rows, columns, leading = _carbo.matrix_view(array)
        assert address == array.ctypes.data and memory == "host" and (rows, columns) == array.shape
        assert scalar == str(array.dtype)
        step = array.strides[0 if order == "row_major" else 1] // array.itemsize
        assert leading in (0, step)


def test_a_pool_of_a_million_rows_is_not_copied_on_the_way():
    big = np.zeros((10**6, 10), dtype=np.float32)
    assert _carbo.matrix_view(big)[0] == big.ctypes.data
    big.flags.writeable = False
    assert _carbo.matrix_view(big)[0] == big.ctypes.data


def test_picks_do_not_depend_on_the_layout():
    expected = picks(POOL)
    spread = np.zeros((500, 9))
    spread[:, 2:6] = POOL
    assert picks(np.asfortranarray(POOL)) == expected
    assert picks(spread[:, 2:6]) == expected
    assert picks(POOL.tolist()) == expected
    read_only = POOL.copy()
    read_only.flags.writeable = False
    assert picks(read_only) == expected


def test_the_loop_of_an_application_finds_the_best_row():
    def value(rows):
        return ((POOL[rows] - 0.4) ** 2).sum(axis=1)

    selector = carbo.Selector(POOL, 1 + POOL[:, 0], seed=1)
    first = selector.design(4)
    assert len(set(first.tolist())) == 4 and selector.running == 4
    selector.append(rows=first, objectives=value(first))
    for _ in range(10):
        rows = selector.suggest(4, alpha=carbo.cooling_exponent(100, 40, 20))
        selector.append(rows=rows, objectives=value(rows))
    assert selector.observations == 44 and selector.available == 456 and selector.running == 0
    observed = np.flatnonzero(np.isinf(selector.scores()))
    assert len(observed) == 44 and np.argmin(value(np.arange(500))) in observed


def test_room_of_the_callers():
    selector = carbo.Selector(POOL)
    selector.append(rows=ROWS, objectives=OBJECTIVES, costs=COSTS)
    out, scores = np.full(6, -1), np.zeros(6, dtype=np.float32)
    rows = selector.suggest(6, out=out, scores=scores)
    assert rows.base is out and (out >= 8).all() and (np.diff(scores) <= 1e-6).any()
    selector.withdraw(out[:2])
    assert selector.running == 4
    room = np.empty(500)
    assert selector.scores(alpha=0.0, out=room) is room
    assert np.array_equal(room, selector.scores(alpha=0.0))
    fit = selector.fit()
    assert fit.observations == 8 and len(fit.hyperparameters.lengthscales) == 4 and fit.cost_model == "log_gp"


def test_points_and_formulas():
    selector = carbo.Selector(POOL, cost={"model": "linear", "features": [carbo.work("x0 + 1"), lambda x: x["x1"]]})
    selector.append(points=RNG.random((9, 4)), objectives=RNG.random(9), costs=1 + RNG.random(9))
    assert len(selector.suggest(2)) == 2


@pytest.mark.parametrize(
    "make, error, reason",
    [
        (lambda: carbo.Selector(POOL * 2), carbo.InvalidArray, "out_of_range"),
        (lambda: carbo.Selector(POOL * np.nan), carbo.InvalidArray, "not_finite"),
        (lambda: carbo.Selector(np.broadcast_to(POOL[:1], (9, 4))), carbo.InvalidArray, "overlapping"),
        (lambda: carbo.Selector(POOL[0]), carbo.InvalidArray, None),
        (lambda: carbo.Selector(POOL[:0]), carbo.InvalidArray, "shape"),
        (lambda: carbo.Selector(np.zeros((3, 0))), carbo.InvalidArray, None),
        (lambda: carbo.Selector([["a"]]), carbo.InvalidArray, None),
        (lambda: carbo.Selector(POOL, [1.0]), carbo.InvalidArray, "shape"),
        (lambda: carbo.Selector(POOL, budget=3), carbo.InvalidOptions, None),
        (lambda: carbo.Selector(POOL, cost={"model": "x"}), carbo.InvalidOptions, None),
        (lambda: carbo.Selector(POOL).suggest(1), carbo.InvalidObservation, None),
        (lambda: carbo.Selector(POOL).append(objectives=[1.0]), carbo.InvalidOptions, None),
        (lambda: carbo.Selector(POOL).append(rows=[500], objectives=[1.0], costs=[1.0]), carbo.InvalidArray, "out_of_range"),
        (lambda: carbo.Selector(POOL).append(rows=[0.5], objectives=[1.0], costs=[1.0]), carbo.InvalidArray, None),
        (lambda: carbo.Selector(POOL).withdraw([3]), carbo.Error, None),
    ],
)
def test_bad_arrays_are_refused(make, error, reason):
    with pytest.raises(error) as caught:
        make()
    assert reason is None or caught.value.reason == reason


def test_other_libraries_tensors():
    torch = pytest.importorskip("torch")
    assert picks(torch.from_numpy(POOL)) == picks(POOL)


def test_capsules_made_by_hand():
    mine = Capsule(POOL)
    assert picks(mine) == picks(POOL) and mine.streams == [None]


def test_device_memory_is_asked_for_in_the_callers_stream():
    """Where there is no device the error says so; a producer was told the stream before."""
    for stream in (None, 0x1234):
        device = Capsule(POOL, kind=2)
        with pytest.raises(carbo.BackendUnavailable):
            carbo.Selector(device, stream=stream)
    told = Capsule(POOL[:2], kind=2)
    with pytest.raises(carbo.BackendUnavailable, match="lies in device memory"):
        carbo.Selector(POOL).append(points=told, objectives=[1.0, 2.0], costs=[1.0, 2.0])
    assert told.streams == [1]  # the legacy default stream, where no other was given
    elsewhere = Capsule(POOL, kind=10)  # ROCm's
    with pytest.raises(carbo.InvalidArray):
        carbo.Selector(elsewhere)
