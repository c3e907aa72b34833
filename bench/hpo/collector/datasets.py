"""Data sets as dense arrays: LIBSVM's from files, others made."""

from dataclasses import dataclass
from pathlib import Path

from . import made_sets

FEATURES = {"a1a": 123, "a2a": 123, "splice": 60, "w2a": 300}
TEST_ROWS = 4000  # at most; evenly spaced over the file, because files may be sorted by label


@dataclass
class DataSet:
    train_x: object
    train_y: object
    test_x: object
    test_y: object


def read_set(folder, name):
    """Of LIBSVM's sets training rows of NAME and at most TEST_ROWS rows of NAME.t; FileNotFoundError names what is
    missing. Others need no folder."""
    if name in made_sets.SETS:
        return DataSet(*made_sets.make_set(name))
    if name not in FEATURES:
        raise ValueError(f"no data set is called '{name}': there are {', '.join([*FEATURES, *made_sets.SETS])}")
    if folder is None:
        raise ValueError(f"data set {name}: --data must name the folder that holds LIBSVM's files {name} and {name}.t")
    files = [Path(folder) / name, Path(folder) / f"{name}.t"]
    missing = [str(file) for file in files if not file.is_file()]
    if missing:
        raise FileNotFoundError(f"data set {name}: {' and '.join(missing)} not found; the folder must hold LIBSVM's "
                                f"files {name} (training) and {name}.t (test)")
    import numpy

    (train_x, train_y), (test_x, test_y) = (_read_file(file, FEATURES[name]) for file in files)
    rows = min(TEST_ROWS, test_x.shape[0])
    kept = numpy.arange(rows) * test_x.shape[0] // rows
    return DataSet(train_x.toarray(), (train_y > 0).astype(int), test_x[kept].toarray(), (test_y[kept] > 0).astype(int))


def _read_file(file, features):
    from sklearn.datasets import load_svmlight_file

    try:
        x, y = load_svmlight_file(str(file), n_features=features)
    except ValueError as reason:
        raise ValueError(f"{file}: not LIBSVM's format with {features} features (lines such as '+1 3:0.5 7:1'): "
                         f"{reason}") from None
    if x.shape[0] == 0:
        raise ValueError(f"{file}: the file has no rows")
    return x, y
