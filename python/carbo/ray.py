"""Carbo on Ray: a searcher for Tune, and a closed loop over Ray's tasks."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

try:
    from ._ray_minimize import minimize
    from ._ray_tasks import RayTasks
except ImportError as error:
    raise ModuleNotFoundError("carbo.ray needs Ray: pip install ray, for Tune 'ray[tune]'", name="ray") from error

if TYPE_CHECKING:
    from ._ray_search import CarboSearch

__all__ = ["CarboSearch", "RayTasks", "minimize"]


def __getattr__(name: str) -> Any:
    if name == "CarboSearch":  # Ray may be there without Tune
        try:
            from ._ray_search import CarboSearch
        except ImportError as error:
            raise ModuleNotFoundError(
                "carbo.ray.CarboSearch needs Ray Tune: pip install 'ray[tune]'", name="ray"
            ) from error
        return CarboSearch
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
