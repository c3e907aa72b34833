"""Data sets that need no files: one comes with scikit-learn, one is drawn."""

SETS = ["digits", "clusters"]
ORDER_SEED = 0  # of the order in which rows are dealt out: training rows first
DRAW_SEED = 1
TRAINING_ROWS = {"digits": 800, "clusters": 2000}


def make_set(name):
    """Training rows and labels, test rows and labels."""
    import numpy

    x, y = _digits() if name == "digits" else _clusters()
    order = numpy.random.default_rng(ORDER_SEED).permutation(len(y))
    training, test = order[:TRAINING_ROWS[name]], order[TRAINING_ROWS[name]:]
    return x[training], y[training], x[test], y[test]


def _digits():
    """1,797 handwritten digits of 8 × 8 pixels from 0 to 16."""
    from sklearn.datasets import load_digits

    return load_digits(return_X_y=True)


def _clusters():
    """5,000 rows of two classes with four clusters each in 10 dimensions, 5 features that are sums of these and 10 of
    noise; labels of 3 % of the rows are drawn."""
    from sklearn.datasets import make_classification

    return make_classification(n_samples=5000, n_features=25, n_informative=10, n_redundant=5, n_classes=2,
                               n_clusters_per_class=4, flip_y=0.03, class_sep=1.0, random_state=DRAW_SEED)
