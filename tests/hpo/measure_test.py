"""One evaluation: exceptions, warnings, disturbed timings; and the spaces that configurations come from."""

import math
import random
import unittest
import warnings
from unittest import mock

from fakes import Data, Sleeper, fake_world, outcome

from collector import measure
from collector.problems import all_problems, problems_of
from collector.spaces import load_spaces


class EvaluationTest(unittest.TestCase):
    def evaluate(self, depth):
        with fake_world():
            return measure.evaluate_once("dt", {"max_depth": depth}, Data)[0]

    def test_the_error_is_the_share_of_wrong_rows(self):
        for depth, share in [(1, 1 / 8), (6, 6 / 8), (8, 0.0)]:
            result = self.evaluate(depth)
            self.assertEqual((result.status, result.error, result.note), ("ok", share, ""))
            self.assertGreater(result.seconds, 0)

    def test_an_exception_is_an_outcome(self):
        result = self.evaluate(14)
        self.assertEqual((result.status, result.error), ("failed", None))
        self.assertEqual(result.note, "ValueError: depth '14'; is a multiple of 7")
        self.assertGreater(result.seconds, 0)

    def test_a_warning_keeps_the_error(self):
        result = self.evaluate(10)
        self.assertEqual((result.status, result.error), ("warned", 2 / 8))
        self.assertEqual(result.note, "DeprecationWarning RuntimeWarning")

    def test_a_warning_is_seen_each_time_and_goes_no_further(self):
        with warnings.catch_warnings(record=True) as escaped:
            warnings.simplefilter("always")
            self.assertEqual([self.evaluate(10).status for _ in range(3)], ["warned"] * 3)
        self.assertEqual(escaped, [])

    def test_what_stops_the_collector_is_no_outcome(self):
        def interrupted(*_):
            raise KeyboardInterrupt
        with fake_world(interrupted), self.assertRaises(KeyboardInterrupt):
            measure.evaluate_once("dt", {}, Data)

    def test_any_note_fits_a_cell(self):
        note = measure.one_line('a,b\n"c"\r\n\td\x0be \ud800 ' + "x" * 500)
        self.assertTrue(note.startswith("a;b 'c' d e ? xxx"), note)
        self.assertEqual(len(note), 160)
        self.assertEqual(note.encode().decode().splitlines(), [note])


class DisturbedTest(unittest.TestCase):
    def evaluate(self, *attempts):
        """Which of the attempts, (CPU seconds, wall seconds), is kept; how many were made."""
        given = [(outcome(seconds=cpu), wall) for cpu, wall in attempts]
        with mock.patch.object(measure, "evaluate_once", side_effect=given) as once:
            kept = measure.evaluate("dt", {}, Data)
        return [result for result, _ in given].index(kept), once.call_count

    def test_calm_ones_are_kept(self):
        self.assertEqual(self.evaluate((1.0, 1.0)), (0, 1))
        self.assertEqual(self.evaluate((1.0, 1.251)), (0, 1))
        self.assertEqual(self.evaluate((0.001, 0.003)), (0, 1))

    def test_disturbed_ones_are_measured_again(self):
        self.assertEqual(self.evaluate((1.0, 1.26), (1.1, 1.1)), (1, 2))
        self.assertEqual(self.evaluate((0.001, 0.004), (0.002, 0.006), (0.003, 0.003)), (2, 3))

    def test_of_four_disturbed_ones_the_least_is_kept(self):
        self.assertEqual(self.evaluate((4.0, 9.0), (3.0, 9.0), (2.0, 9.0), (5.0, 9.0)), (2, 4))

    def test_waiting_is_no_work(self):
        made = []
        with fake_world(lambda _learner, configuration, _features: made.append(1) or Sleeper(configuration)):
            result = measure.evaluate("dt", {"max_depth": 1}, Data)
        self.assertEqual(len(made), 4)
        self.assertLess(result.seconds, 0.008)

    def test_a_core_that_is_not_there(self):
        for core in (4095, -1, 10 ** 30):
            with self.assertRaisesRegex(ValueError, f"--core {core}: this process may run on "):
                measure.pin(core)


LAST = 1 - 2.0 ** -53  # the largest share below 1


class SpacesTest(unittest.TestCase):
    def setUp(self):
        self.spaces = load_spaces()

    def find(self, learner, name):
        return next(p for p in self.spaces[learner] if p.name == name)

    def test_dimensions_are_those_of_the_paper(self):
        self.assertEqual({learner: len(space) for learner, space in self.spaces.items()},
                         {"knn": 5, "mlp": 11, "svm": 6, "dt": 3, "rf": 3})
        self.assertEqual([len(problems_of(collection)) for collection in ("paper", "verdict")], [20, 8])
        self.assertEqual(len({problem.name for problem in all_problems()}), 28)
        self.assertEqual(len({problem.seed for problem in all_problems()}), 28)

    def test_ends_of_ranges_are_reached(self):
        for learner, name, low, high in [("knn", "projected_share", 1e-6, 1.0), ("knn", "n_neighbors", 1, 256),
                                         ("mlp", "units3", 10, 150), ("mlp", "tol", 1e-5, 1e-2),
                                         ("mlp", "beta_1", 1e-3, 0.99), ("svm", "l1_ratio", 0.0, 1.0),
                                         ("svm", "alpha", 1e-3, 1e3), ("dt", "max_features", 1e-3, 0.5),
                                         ("rf", "n_estimators", 1, 256), ("rf", "min_samples_split", 0.1, 1.0)]:
            parameter = self.find(learner, name)
            self.assertEqual((parameter.at(0.0), parameter.at(LAST)), (low, high), name)

    def test_middles_are_those_of_the_scale(self):
        self.assertEqual(self.find("knn", "projected_share").at(0.5), 1e-3)
        self.assertEqual(self.find("svm", "l1_ratio").at(0.25), 0.25)
        self.assertEqual(self.find("svm", "alpha").at(0.5), 1.0)
        self.assertEqual(self.find("dt", "min_samples_split").at(0.5), 0.316228)

    def test_integers_own_half_a_step_on_both_sides(self):
        linear, logarithmic = self.find("rf", "n_estimators"), self.find("mlp", "units1")
        for value in (1, 2, 100, 256):
            begin, end = (value - 1) / 256, value / 256
            self.assertEqual({linear.at(begin + 1e-9), linear.at(end - 1e-9)}, {value})
        whole = math.log10(150.5) - math.log10(9.5)
        for value in (10, 11, 77, 150):
            begin, end = ((math.log10(value + half) - math.log10(9.5)) / whole for half in (-0.5, 0.5))
            self.assertEqual({logarithmic.at(begin + 1e-9), logarithmic.at(end - 1e-9)}, {value})

    def test_all_categories_have_the_same_share(self):
        metric = self.find("knn", "metric")
        drawn = [metric.at((i + 0.5) / 700) for i in range(700)]
        self.assertEqual({choice: drawn.count(choice) for choice in metric.choices}, dict.fromkeys(metric.choices, 100))
        self.assertEqual(metric.at(LAST), "manhattan")

    def test_what_a_table_prints_is_what_was_run(self):
        draw = random.Random(1)
        for space in self.spaces.values():
            for parameter in space:
                for _ in range(300):
                    value = parameter.at(draw.random())
                    self.assertEqual(parameter.parse(repr(value) if parameter.type == "real" else str(value)), value)
                    if parameter.type == "real":
                        self.assertEqual(float(f"{value:.6g}"), value)
                        self.assertIsInstance(value, float)

    def test_values_of_other_types_are_refused(self):
        depth, share, kind = self.find("dt", "max_depth"), self.find("dt", "max_features"), self.find("svm", "penalty")
        self.assertEqual((depth.check(5.0), share.check(0.25), kind.check("l1")), (5, 0.25, "l1"))
        self.assertIsInstance(depth.check(5.0), int)
        for parameter, values in [(depth, [True, "5", 5.5, None, [5], float("nan"), float("inf"), 0, 10 ** 400]),
                                  (share, [False, "0.25", None, {}, float("nan"), float("-inf"), 0.6, 10 ** 400]),
                                  (kind, ["l3", 1, None, ["l1"], float("nan")])]:
            for value in values:
                with self.assertRaisesRegex(ValueError, f"^{parameter.name}: "):
                    parameter.check(value)


if __name__ == "__main__":
    unittest.main()
