"""Arrays in device memory, in the order of the caller's stream, by capsules made by hand: on the emulator, where work
runs when something waits for it, or on a card."""
import ctypes

import numpy as np
import pytest
from capsule import Capsule, address_of

import carbo

try:
    CUDA = ctypes.CDLL("libcudart.so.13")
except OSError as error:
    pytest.skip(f"no CUDA runtime here: {error}", allow_module_level=True)
COUNT = ctypes.c_int(0)
if CUDA.cudaGetDeviceCount(ctypes.byref(COUNT)) != 0 or COUNT.value == 0:
    pytest.skip("no device here", allow_module_level=True)
TO_DEVICE, TO_HOST = 1, 2

RNG = np.random.default_rng(5)
POOL = RNG.random((90, 3))
ROWS = np.arange(8)
OBJECTIVES = ((POOL[:8] - 0.4) ** 2).sum(axis=1)
COSTS = 1 + POOL[:8, 0]
CPU = {"backend": {"kind": "cpu"}}
SMALL = {"surrogate": {"restarts": 1}, "fantasies": {"count": 2}}


def done(status):
    assert status == 0, f"CUDA says {status}"


@pytest.fixture
def stream():
    """That waits for no other, as applications have them."""
    made = ctypes.c_void_p()
    done(CUDA.cudaStreamCreateWithFlags(ctypes.byref(made), 1))
    yield made.value
    done(CUDA.cudaStreamDestroy(made))


class DeviceArray(Capsule):
    """Memory of its own; what is in it is written and read in the order of a stream."""

    def __init__(self, array, stream):
        self.held = ctypes.c_void_p()
        done(CUDA.cudaMalloc(ctypes.byref(self.held), ctypes.c_size_t(array.nbytes)))
        self.source = np.ascontiguousarray(array)  # what is enqueued reads it later
        self.stream = ctypes.c_void_p(stream)
        done(self._copy(self.held, self.source.ctypes.data, TO_DEVICE))
        super().__init__(self.source, kind=2, address=self.held.value)

    def __del__(self):
        CUDA.cudaStreamSynchronize(self.stream)
        CUDA.cudaFree(self.held)

    def __getitem__(self, part):
        return self.read()[part]

    def _copy(self, to, source, way):
        size = ctypes.c_size_t(self.source.nbytes)
        return CUDA.cudaMemcpyAsync(ctypes.c_void_p(getattr(to, "value", to)), ctypes.c_void_p(getattr(source, "value", source)),
                                    size, way, self.stream)  # fmt: skip

    def read(self):
        values = np.empty_like(self.source)
        done(self._copy(values.ctypes.data, self.held, TO_HOST))
        done(CUDA.cudaStreamSynchronize(self.stream))
        return values


def told(pool, **settings):
    selector = carbo.Selector(pool, **{**SMALL, **settings})
    selector.append(rows=ROWS, objectives=OBJECTIVES, costs=COSTS)
    return selector


def test_a_pool_in_device_memory_gives_the_picks_of_the_host(stream):
    expected = told(POOL, **CPU).suggest(4, alpha=0.5).tolist()
    pool = DeviceArray(POOL, stream)
    selector = told(pool, stream=stream)
    assert selector.on_device and pool.streams == [stream]
    assert selector.suggest(4, alpha=0.5).tolist() == expected
    single = told(DeviceArray(POOL.astype(np.float32), stream), stream=stream)
    assert single.suggest(4, alpha=0.5).tolist() == told(POOL.astype(np.float32), **CPU).suggest(4, alpha=0.5).tolist()


def test_everything_may_lie_there(stream):
    expected = told(POOL, **CPU).suggest(3, alpha=0.5).tolist()
    arrays = [DeviceArray(array, stream) for array in (ROWS, OBJECTIVES, COSTS, np.zeros(3, np.int64), np.zeros(3))]
    rows, objectives, costs, out, scores = arrays
    selector = carbo.Selector(DeviceArray(POOL, stream), stream=stream, **SMALL)
    selector.append(rows=rows, objectives=objectives, costs=costs)
    picked = selector.suggest(3, alpha=0.5, out=out, scores=scores)
    assert picked.tolist() == out.read().tolist() == expected
    assert np.isfinite(scores.read()).all()
    assert all(set(array.streams) == {stream} for array in arrays)
    selector.withdraw(out)
    assert selector.running == 0


def test_scores_stay_on_the_device(stream):
    expected = told(POOL, **CPU).scores(alpha=0.5)
    selector = told(DeviceArray(POOL, stream), stream=stream)
    room = DeviceArray(np.zeros(len(POOL)), stream)
    assert selector.scores(alpha=0.5, out=room) is room
    assert np.array_equal(np.isneginf(room.read()), np.isneginf(expected))
    finite = np.isfinite(expected)
    assert np.allclose(room.read()[finite], expected[finite], rtol=1e-6, atol=1e-6)
    owned = selector.scores(alpha=0.5)
    assert owned.__dlpack_device__() == (2, 0)
    values = np.empty(len(POOL))
    capsule = owned.__dlpack__()
    del selector, owned  # the memory is the capsule's
    copied = CUDA.cudaMemcpy(ctypes.c_void_p(values.ctypes.data), ctypes.c_void_p(address_of(capsule)),
                             ctypes.c_size_t(values.nbytes), TO_HOST)  # fmt: skip
    done(CUDA.cudaDeviceSynchronize())
    done(copied)
    assert np.array_equal(values, room.read())


def test_the_default_stream_where_none_is_given():
    pool = DeviceArray(POOL, None)
    assert told(pool).suggest(2).shape == (2,) and pool.streams == [1]


def test_wrong_memory_is_refused(stream):
    with pytest.raises(carbo.InvalidArray) as caught:
        carbo.Selector(Capsule(POOL, kind=2), stream=stream)  # host memory that says otherwise
    assert caught.value.reason == "not_device_memory"
    with pytest.raises(carbo.Error):
        carbo.Selector(Capsule(POOL, kind=2, number=99), stream=stream)
    elements = DeviceArray(np.zeros(8), stream)
    elements.dtype = np.dtype(np.int32)
    with pytest.raises(carbo.InvalidArray, match="on a device has elements of int32"):
        told(DeviceArray(POOL, stream), stream=stream).append(rows=elements, objectives=OBJECTIVES, costs=COSTS)


def test_a_study_on_the_device(stream):
    """No arrays: the backend alone."""
    study = carbo.Study(carbo.Space(x=carbo.real(0, 1)), budget=9, seed=1, backend={"kind": "cuda"},
                        candidates={"count": 64}, **SMALL)  # fmt: skip
    for _ in range(3):
        for s in study.ask(2):
            study.tell(s, (s.params["x"] - 0.3) ** 2, cost=1.0)
    assert len(study.trials) == 6
