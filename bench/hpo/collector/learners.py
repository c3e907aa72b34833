"""Configurations as scikit-learn's estimators. What a space does not name has scikit-learn's default."""

RANDOM_STATE = 0


def make(learner, configuration, features):
    """An unfitted estimator or pipeline for data with that many features."""
    return _MAKERS[learner](configuration, features)


def _knn(c, features):
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection

    kinds = {"gaussian": GaussianRandomProjection, "sparse": SparseRandomProjection}
    components = max(1, round(c["projected_share"] * features))
    return make_pipeline(kinds[c["projection"]](n_components=components, random_state=RANDOM_STATE),
                         KNeighborsClassifier(n_neighbors=c["n_neighbors"], weights=c["weights"], metric=c["metric"]))


def _mlp(c, _features):
    from sklearn.neural_network import MLPClassifier

    units = tuple(c[f"units{layer}"] for layer in range(1, c["layers"] + 1))
    return MLPClassifier(hidden_layer_sizes=units, activation=c["activation"], tol=c["tol"], alpha=c["alpha"],
                         learning_rate_init=c["learning_rate_init"], beta_1=c["beta_1"], beta_2=c["beta_2"],
                         random_state=RANDOM_STATE)


def _svm(c, _features):
    from sklearn.linear_model import SGDClassifier

    return SGDClassifier(max_iter=c["max_iter"], penalty=c["penalty"], l1_ratio=c["l1_ratio"], alpha=c["alpha"],
                         eta0=c["eta0"], learning_rate=c["learning_rate"], random_state=RANDOM_STATE)


def _dt(c, _features):
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=c["max_depth"], min_samples_split=c["min_samples_split"],
                                  max_features=c["max_features"], random_state=RANDOM_STATE)


def _rf(c, _features):
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators=c["n_estimators"], max_depth=c["max_depth"],
                                  min_samples_split=c["min_samples_split"], random_state=RANDOM_STATE)


def _boost(c, _features):
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(**c, random_state=RANDOM_STATE)


def _extra(c, _features):
    from sklearn.ensemble import ExtraTreesClassifier

    return ExtraTreesClassifier(n_estimators=c["n_estimators"], max_features=c["max_features"],
                                min_samples_leaf=c["min_samples_leaf"], criterion=c["criterion"],
                                bootstrap=c["sampling"] == "bootstrap", random_state=RANDOM_STATE)


def _logistic(c, _features):
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler, StandardScaler

    scalers = {"none": None, "standard": StandardScaler(), "minmax": MinMaxScaler()}
    return make_pipeline(scalers[c["scaling"]],
                         LogisticRegression(solver="saga", C=c["C"], l1_ratio=c["l1_ratio"], tol=c["tol"],
                                            max_iter=c["max_iter"], random_state=RANDOM_STATE))


def _nystroem(c, _features):
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import RidgeClassifier
    from sklearn.pipeline import make_pipeline

    degree = c["degree"] if c["kernel"] == "polynomial" else None
    return make_pipeline(Nystroem(kernel=c["kernel"], gamma=c["gamma"], degree=degree,
                                  n_components=c["n_components"], random_state=RANDOM_STATE),
                         RidgeClassifier(alpha=c["alpha"], random_state=RANDOM_STATE))


_MAKERS = {"knn": _knn, "mlp": _mlp, "svm": _svm, "dt": _dt, "rf": _rf,
           "boost": _boost, "extra": _extra, "logistic": _logistic, "nystroem": _nystroem}
