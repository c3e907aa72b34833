"""A sampler for Optuna that is given a budget instead of a number of trials; the engine is the package ``carbo``."""
from carbo.optuna import CarboSampler

__all__ = ["CarboSampler"]
