#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <carbo/to_string.hpp>

namespace carbo {
namespace {

static_assert(std::string_view(to_string(Accounting::wall_clock)) == "wall_clock");

/// Enumerators count up from 0: each has its name, and what follows the last has none.
template <class Enum>
void expect_names(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(to_string(static_cast<Enum>(i)), names[i]);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_STREQ(to_string(static_cast<Enum>(names.size())), "unknown");
  EXPECT_STREQ(to_string(static_cast<Enum>(-1)), "unknown");
}

TEST(ToString, EveryEnumeratorHasItsName) {
  expect_names<Goal>({"minimize", "maximize"});
  expect_names<Modelled>({"objective", "cost"});
  expect_names<Acquisition>({"ei_cool", "ei_per_cost", "ei", "random", "gittins", "mes_cool"});
  expect_names<InitialDesign>({"cost_effective", "paper", "uniform", "points"});
  expect_names<Accounting>({"automatic", "sum", "longest", "wall_clock"});
  expect_names<Execution>({"synchronous", "asynchronous"});
  expect_names<Batches>({"fixed", "fill", "top_up"});
  expect_names<PickCost>({"in_round", "own"});
  expect_names<Transform>({"none", "log", "rank", "shifted_log", "power", "half_rank", "automatic"});
  expect_names<Estimation>({"maximum_likelihood", "map"});
  expect_names<Incumbent>({"lowest_observed", "posterior_mean"});
  expect_names<FantasyMode>({"shared", "batched"});
  expect_names<CandidateSource>({"automatic", "sobol", "enumeration"});
  expect_names<BackendKind>({"automatic", "cpu", "cuda"});
  expect_names<CostModelKind>({"automatic", "log_gp", "linear", "linear_mean_gp", "known"});
  expect_names<CostError>({"relative", "absolute"});
  expect_names<CostWeight>({"median", "mean", "moment"});
  expect_names<ParameterKind>({"real", "integer", "categorical", "ordinal", "discrete"});
  expect_names<Scale>({"linear", "log"});
  expect_names<Phase>({"warm start", "design", "search"});
  expect_names<DesignEnd>({"served", "share", "gain", "exhausted"});
  expect_names<Origin>({"this_run", "prior"});
  expect_names<ObservationStatus>({"succeeded", "failed", "timed_out"});
  expect_names<StopReason>({"running", "budget spent", "maximum number of evaluations", "target reached",
                            "every candidate evaluated", "cancelled", "too many failures in a row",
                            "nothing left that fits the budget", "error", "nothing left that is worth its cost"});
  expect_names<Scalar>({"float32", "float64"});
  expect_names<Memory>({"host", "device"});
  expect_names<Order>({"row_major", "column_major"});
  expect_names<InvalidArray::Reason>({"null_pointer", "not_device_memory", "not_host_memory", "other_device",
                                      "misaligned", "overlapping", "leading_dimension", "shape", "not_finite",
                                      "out_of_range"});
}

}  // namespace
}  // namespace carbo
