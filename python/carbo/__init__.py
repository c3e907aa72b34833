"""Carbo: Bayesian optimization that is given a budget instead of a number of iterations."""
from __future__ import annotations

from ._errors import (
    BackendUnavailable,
    ConcurrentCall,
    DeviceError,
    Error,
    EvaluationFailed,
    IncompatibleStudy,
    InvalidArray,
    InvalidConfiguration,
    InvalidObservation,
    InvalidOptions,
    InvalidPool,
    InvalidSpace,
    InvalidState,
    NumericalError,
    OtherProcess,
    OutOfMemory,
    StorageError,
    StudyBusy,
    UnknownStudy,
    UnknownSuggestion,
)
from ._options import Feature, NetworkFeatures, Pool, cnn_features, feature, mlp_features, work
from ._records import (
    Calibration,
    CostPrediction,
    Evaluation,
    FittedModel,
    FittedModels,
    Hyperparameters,
    Importance,
    MemoryPlan,
    ObjectivePrediction,
    ParameterImportance,
    PointsLearned,
    Prediction,
    RankedCandidate,
    Receipt,
    Recommendation,
    StageSeconds,
    StudySummary,
    Suggestion,
    Trial,
)
from ._space import Parameter, Space, categorical, discrete, integer, ordinal, real
from . import _carbo
from ._minimize import Progress, maximize, minimize
from ._result import Result
from ._selector import Selector, SelectorFit, cooling_exponent
from ._study import Study

__version__: str = _carbo.version
