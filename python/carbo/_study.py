"""A study in memory or on a file: made, opened, saved, and what there is in it."""
from __future__ import annotations

import os
from pathlib import Path
from typing import Any, List

from . import _carbo
from ._display import Shown
from ._errors import InvalidOptions, InvalidSpace
from ._options import native_options
from ._records import Receipt, StudySummary, Suggestion, Trial
from ._space import Space
from ._study_calls import StudyCalls
from ._study_input import Pending, code_of, keep_values, pending_id, stored_space
from ._study_models import StudyModels

_FILE_SETTINGS = ("durability", "owner", "lease", "lost", "busy_wait", "network")


class Study(StudyCalls, StudyModels, Shown):
    """A study: suggests points, learns from what they gave and cost, and knows when the budget is spent.

    >>> import carbo
    >>> space = carbo.Space(x=carbo.real(0, 1))
    >>> study = carbo.Study(space, budget=20, seed=1)
    >>> while not study.done:
    ...     for s in study.ask():
    ...         study.tell(s, (s.params["x"] - 0.3) ** 2, cost=1 + s.params["x"])
    >>> abs(study.best.params["x"] - 0.3) < 0.1
    True

    Without ``file`` it is in memory: it pickles, and :meth:`save` and :meth:`load` carry it elsewhere. With ``file``
    it is on an SQLite file, which the command line and C++ read, too: every call is on disk before it returns, several
    processes may hold it, and it goes on where it was. ``name`` is the file's name without its ending where none is
    given. All settings of docs/optimizer.md are keyword arguments, groups of them dicts
    (``design={"least_gain": 0.5}``); ``unit`` stands for ``cost={"unit": …}``, and a budget may have its unit:
    ``"2h"``, ``"25 EUR"``, ``"200 evaluations"``.

    Of a study on a file ``durability``, ``owner``, ``lease`` and ``busy_wait`` (in seconds), ``lost`` ("hand_out" or
    "charge") and ``network`` may be set. Calls of several threads wait for one another.
    """

    def __init__(
        self,
        space: Space,
        *,
        file: str | os.PathLike[str] | None = None,
        name: str | None = None,
        **options: Any,
    ) -> None:
        if not isinstance(space, Space):
            raise InvalidSpace(f"the space is {space!r}; give a carbo.Space (a study that is there: carbo.Study.open)")
        how = {key: options.pop(key) for key in _FILE_SETTINGS if key in options}
        self._space = space
        self._given = options
        self._file = None if file is None else Path(os.path.abspath(file))
        self._how = how
        native = native_options(space, options)
        if self._file is None:
            for key in ("name", *how):
                if key in how or name is not None:
                    raise InvalidOptions(f"{key} is of a study on a file; give file=..., too")
            self._native = _carbo.new_study(space._native, native)
            return
        self._native = _carbo.create_study(
            str(self._file), self._file.stem if name is None else name, space._native, native, how
        )
        keep_values(self._native, space)

    # Files and texts.

    @classmethod
    def open(
        cls,
        file: str | os.PathLike[str],
        name: str = "",
        *,
        space: Space | None = None,
        **options: Any,
    ) -> Study:
        """A study that is there; the only one of the file where none is named.

        Code that a file cannot hold is given again: constraints with ``space``, callables and large pools as the
        settings that they are (``cost={"features": […]}``).
        """
        made = cls.__new__(cls)
        how = {key: options.pop(key) for key in _FILE_SETTINGS if key in options}
        made._file = Path(os.path.abspath(file))
        made._how = how
        made._given = options
        code = code_of(space, options)
        made._native = _carbo.open_study(str(made._file), name, how, code)
        made._space = stored_space(made._native) if space is None else space
        return made

    @staticmethod
    def list(file: str | os.PathLike[str]) -> List[StudySummary]:
        """The studies of a file, by name."""
        return [StudySummary._of(record) for record in _carbo.list_studies(os.fspath(file))]

    @staticmethod
    def remove(file: str | os.PathLike[str], name: str) -> None:
        """Takes a study out of a file, with everything that belongs to it."""
        _carbo.remove_study(os.fspath(file), name)

    def save(self, path: str | os.PathLike[str] | None = None) -> str:
        """The whole study as text (JSON, docs/state.md), written to ``path``, too, where one is given."""
        text = self._native.save()
        if path is not None:
            target = Path(path)
            beside = target.with_name(target.name + ".new")
            beside.write_text(text, encoding="utf-8")
            os.replace(beside, target)
        return text

    @classmethod
    def load(cls, state: str | os.PathLike[str], *, space: Space | None = None, **options: Any) -> Study:
        """A study in memory from the text of :meth:`save`, or from the file of it.

        Its next suggestions are those of the study that was saved. Code is given again as for :meth:`open`;
        ``backend={…}`` takes the place of the state's backend.
        """
        text = state if isinstance(state, str) and state.lstrip().startswith("{") else None
        if text is None:
            text = Path(state).read_text(encoding="utf-8")
        made = cls.__new__(cls)
        made._file = None
        made._how = {}
        made._given = options
        made._native = _carbo.restore_study(text, code_of(space, options))
        made._space = Space._of_native(made._native.space()) if space is None else space
        return made

    def close(self) -> None:
        """Gives file and memory back; no call can be made after it."""
        self._native.close()

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What there is.

    @property
    def trials(self) -> List[Trial]:
        """All points: told, running, and of a file withdrawn ones, too."""
        return [Trial._of(record, self._space) for record in self._native.trials()]

    @property
    def pending(self) -> List[Suggestion]:
        """Suggested or adopted, and not told yet; oldest first."""
        return [Suggestion._of(record, self._space) for record in self._native.pending()]

    @property
    def best(self) -> Trial | None:
        """The best success so far."""
        record = self._native.best()
        return None if record is None else Trial._of(record, self._space)

    @property
    def spent(self) -> float:
        """Of the budget."""
        return self._native.spent()

    @property
    def budget(self) -> float:
        return self._native.options().budget

    @property
    def unit(self) -> str:
        """Of costs and budget."""
        return str(self.options["cost"]["unit"])

    @property
    def stop_reason(self) -> str:
        """Why it is over; "running" while it is not."""
        return self._native.stop_reason()

    @property
    def done(self) -> bool:
        return self.stop_reason != "running"

    @property
    def warnings(self) -> List[str]:
        """What is legal and was probably not meant."""
        return self._native.warnings()

    @property
    def space(self) -> Space:
        return self._space

    @property
    def options(self) -> dict[str, Any]:
        """All settings as they are, groups as dicts."""
        tree: dict[str, Any] = self._native.options().tree()
        return tree

    @property
    def file(self) -> Path | None:
        """None where it is in memory."""
        return self._file

    @property
    def name(self) -> str | None:
        """None where it is in memory."""
        return None if self._file is None else self._native.name()

    @property
    def goal(self) -> str:
        """Either "minimize" or "maximize"."""
        return str(self.options["goal"])

    # Of a study on a file alone.

    def receipt(self, point: Pending) -> Receipt | None:
        """Why a point was suggested, told or not."""
        record = self._native.receipt(pending_id(point))
        return None if record is None else Receipt._of(record)

    def summary(self) -> StudySummary:
        return StudySummary._of(self._native.summary())

    def set_attribute(self, key: str, value: str) -> None:
        """A text of the caller's that is kept with the study."""
        self._native.set_attribute(key, value)

    def attribute(self, key: str) -> str | None:
        value: str | None = self._native.attribute(key)
        return value

    # Pickling: in memory the state, on a file where it is.

    def __getstate__(self) -> dict[str, Any]:
        state = {"space": self._space, "given": self._given, "how": self._how, "file": self._file}
        if self._file is None:
            state["state"] = self._native.save()
        else:
            state["name"] = self._native.name()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._space, self._given, self._how, self._file = (
            state[key] for key in ("space", "given", "how", "file")
        )
        code = code_of(self._space, self._given)
        if self._file is None:
            self._native = _carbo.restore_study(state["state"], code)
        else:
            self._native = _carbo.open_study(str(self._file), state["name"], self._how, code)

    def __repr__(self) -> str:
        where = "in memory" if self._file is None else f"{self.name!r} in {str(self._file)!r}"
        return f"<carbo.Study {where}: {self.spent:g} of {self.budget:g} {self.unit} spent, {self.stop_reason}>"
