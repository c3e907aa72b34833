#include "program/file/study_file.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/options_tree.hpp"
#include "program/scripts.hpp"
#include "program/study_files.hpp"

namespace carbo::program {
namespace {

using testing::expect_fault;
using testing::fault;
using testing::parsed;
using testing::small;

TEST(StudyFileParameters, ShortFormsAndTablesMeanTheSame) {
  const StudyFile file = parsed(R"(
budget = 10
[parameters]
level = "1..19"
rate = "1e-5..0.1 log"
share = "0..1.0"
solver = ["adam", "sgd"]
words = "a,b"
long = [27, 0]
size = "low<mid<high"
flag = [true, false]
int = {int = [1, 8], scale = "log"}
real = {real = [0, 1]}
discrete = {discrete = [1, 2.5]}
ordinal = {ordinal = ["x", "y"]}
categorical = {categorical = ["x", "y"]}
"quoted name" = "-3..-1"
)");
  const auto& all = file.space.parameters();
  ASSERT_EQ(all.size(), 14u);
  EXPECT_EQ(all[0].name(), "level");  // in the order of the file
  EXPECT_EQ(all[0].kind(), ParameterKind::integer);
  EXPECT_EQ(all[0].upper(), 19);
  EXPECT_EQ(all[1].kind(), ParameterKind::real);
  EXPECT_EQ(all[1].scale(), Scale::log);
  EXPECT_EQ(all[1].lower(), 1e-5);
  EXPECT_EQ(all[2].kind(), ParameterKind::real);
  EXPECT_EQ(all[3].labels(), (std::vector<std::string>{"adam", "sgd"}));
  EXPECT_EQ(all[4].kind(), ParameterKind::categorical);
  EXPECT_EQ(all[5].values(), (std::vector<double>{0, 27}));
  EXPECT_EQ(all[6].kind(), ParameterKind::ordinal);
  EXPECT_EQ(all[6].labels().size(), 3u);
  EXPECT_EQ(all[7].labels(), (std::vector<std::string>{"true", "false"}));
  EXPECT_EQ(all[8].scale(), Scale::log);
  EXPECT_EQ(all[8].kind(), ParameterKind::integer);
  EXPECT_EQ(all[10].values(), (std::vector<double>{1, 2.5}));
  EXPECT_EQ(all[13].name(), "quoted name");
  EXPECT_EQ(all[13].lower(), -3);
}

TEST(StudyFileParameters, TheCommandLineHasTheSameForms) {
  const std::vector<Setting> settings{{"budget", "10min"},
                                      {"parameters.level", "1..19"},
                                      {"parameters.long", "0,27"},
                                      {"parameters.a.b", "[\"x,1\", \"y\"]"},
                                      {"parameters.rate", "{real = [1e-3, 1], scale = \"log\"}"},
                                      {"cost.unit", "min"}};
  const StudyFile file = parse_study_file("zstd", "", "", settings);
  ASSERT_EQ(file.space.parameters().size(), 4u);
  EXPECT_EQ(file.space.parameters()[1].values(), (std::vector<double>{0, 27}));
  EXPECT_EQ(file.space.parameters()[2].name(), "a.b");
  EXPECT_EQ(file.space.parameters()[2].labels()[0], "x,1");
  EXPECT_EQ(file.space.parameters()[3].scale(), Scale::log);
  EXPECT_EQ(file.options.budget, 10);
  // What is kept with the study reads as the same again.
  const StudyFile again = parsed(file.text);
  EXPECT_EQ(again.space.parameters()[2].labels(), file.space.parameters()[2].labels());
  EXPECT_EQ(again.options.budget, 10);
  EXPECT_EQ(again.options.cost.unit, "min");
  const std::vector<Setting> wrong{{"parameters.n", "1.."}};
  try {
    parse_study_file("x", small, "", wrong);
    FAIL();
  } catch (const StudyFileError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("command line: parameter 'n'")) << error.what();
  }
}

TEST(StudyFileBudget, HasItsUnit) {
  const auto budget = [](const std::string& words, const std::string& further = "") {
    return parsed("budget = " + words + "\n" + further + "\n[parameters]\nn = \"1..9\"\n").options;
  };
  EXPECT_EQ(budget("\"2h\"").budget, 7200);
  EXPECT_EQ(budget("\"90 min\"").budget, 5400);
  EXPECT_EQ(budget("\"1h 30min\"").budget, 5400);
  EXPECT_EQ(budget("\"2h\"").cost.unit, "s");
  EXPECT_EQ(budget("\"2h\"", "cost = {unit = \"min\"}").budget, 120);
  EXPECT_EQ(budget("3.5").budget, 3.5);
  const Options devices = budget("\"40 GPUh\"");
  EXPECT_EQ(devices.budget, 40);
  EXPECT_EQ(devices.cost.unit, "GPUh");
  const Options money = budget("\"$25\"", "cost = \"json:dollars\"");
  EXPECT_EQ(money.budget, 25);
  EXPECT_EQ(money.cost.unit, "$");
  const StudyFile counted = parsed("budget = \"200 evaluations\"\n[parameters]\nn = \"1..9\"\n");
  EXPECT_TRUE(counted.counts_evaluations);
  EXPECT_EQ(counted.options.max_evaluations, 200u);
}

TEST(StudyFileBudget, MeasuredCostsAreInItsUnit) {
  const auto factor = [](const std::string& lines) {
    return parsed(lines + "\n[parameters]\nn = \"1..9\"\n").cost.factor;
  };
  EXPECT_EQ(factor("budget = \"2h\""), 1);
  EXPECT_EQ(factor("budget = \"2h\"\ncost = {unit = \"h\", measure = \"cpu\"}"), 1 / 3600.0);
  EXPECT_EQ(factor("budget = \"40 GPUh\"\ncost = {measure = \"wall\", factor = 2}"), 2 / 3600.0);
  EXPECT_EQ(factor("budget = \"$25\"\ncost = {measure = \"wall\", factor = 0.01}"), 0.01);
  expect_fault("budget = \"$25\"\n[parameters]\nn = \"1..9\"\n", "study.toml:1:1: ", {"seconds", "$", "factor"});
}

TEST(StudyFileOptions, EveryOptionHasItsOwnName) {
  const std::vector<std::string> names = internal::option_names();
  EXPECT_GT(names.size(), 50u);
  for (const std::string& name : names) {
    // No setting takes an empty array in an array: whoever reads it says so, at its place.
    const std::string wrong = fault("seed = 3\n" + (name == "seed" ? "" : name + " = [[]]\n") +
                                    (name == "budget" ? "" : "budget = 10\n") + "[parameters]\nn = \"1..9\"\n");
    if (name == "seed") continue;
    EXPECT_TRUE(wrong.starts_with("study.toml:2:")) << name << ": " << wrong;
    EXPECT_EQ(wrong.find("there is no setting"), std::string::npos) << wrong;
    const std::string slip = fault("budget = 10\n" + name + "x = 1\n[parameters]\nn = \"1..9\"\n");
    EXPECT_TRUE(slip.starts_with("study.toml:2:")) << slip;
    EXPECT_NE(slip.find("there is no setting"), std::string::npos) << slip;
    EXPECT_NE(slip.find("did you mean '" + name.substr(name.rfind('.') + 1) + "'"), std::string::npos) << slip;
  }
}

TEST(StudyFileOptions, AreThoseOfTheLibrary) {
  const StudyFile file = parsed(R"toml(
budget = 100
acquisition = "ei_per_cost"
target = -1
strict = true
seed = 12
workers = 3
goal = "maximize"
[design]
least_gain = 0.25
budget_share = 0.2
[cost]
read = "json:seconds"
features = ["log(n)", {work = "n * m", name = "flops"}, {value = 3}]
known_part = "n + 1"
surrogate = {restarts = 7, fixed = {lengthscales = [1.0, 2.0], signal_variance = 2.0, noise_variance = 0.1}}
[backend]
device = -1
kind = "cpu"
[parameters]
n = "1..9"
m = "1..9"
)toml");
  EXPECT_EQ(file.options.acquisition, Acquisition::ei_per_cost);
  EXPECT_EQ(file.options.target, -1);
  EXPECT_TRUE(file.options.strict);
  EXPECT_EQ(file.options.seed, 12u);
  EXPECT_EQ(file.options.batch_size, 3u);
  EXPECT_EQ(file.options.goal, Goal::maximize);
  EXPECT_EQ(file.options.design.least_gain, 0.25);
  ASSERT_EQ(file.options.cost.features.size(), 3u);
  EXPECT_FALSE(file.options.cost.features[0].work);
  EXPECT_TRUE(file.options.cost.features[1].work);
  EXPECT_EQ(file.options.cost.features[1].name, "flops");
  EXPECT_EQ(std::get<Quantity::Expression>(file.options.cost.features[0].value.source()).text, "log(n)");
  EXPECT_EQ(std::get<double>(file.options.cost.features[2].value.source()), 3);
  const StudyFile network = parsed(
      "budget = 1\ncost = {features = [{mlp = {layers = [784, \"n\", 10], epochs = \"n\", "
      "batch_size = 32}}, \"n\"]}\n[parameters]\nn = \"1..9\"\n");
  const auto ready = mlp_features({.layers = {784, "n", 10}, .epochs = "n", .batch_size = Quantity(32)});
  ASSERT_EQ(network.options.cost.features.size(), ready.size() + 1);
  for (std::size_t i = 0; i < ready.size(); ++i) EXPECT_EQ(network.options.cost.features[i].name, ready[i].name);
  EXPECT_EQ(file.options.cost.surrogate.restarts, 7u);
  EXPECT_EQ(file.options.cost.surrogate.fixed->lengthscales[1], 2);
  EXPECT_EQ(file.options.backend.kind, BackendKind::cpu);
  EXPECT_EQ(file.cost.key, "seconds");
}

TEST(StudyFileErrors, NameFileLineColumnAndWhatWouldBeRight) {
  const auto with = [](const std::string& line) { return "budget = 10\n" + line + "\n[parameters]\nn = \"1..9\"\n"; };
  expect_fault("budget = \n", "study.toml:1:", {"no TOML"});
  expect_fault("budget = 10\n", "study.toml:1:", {"there are no parameters"});
  expect_fault("[parameters]\nn = \"1..9\"\n", "study.toml:1:", {"budget is missing", "2h"});
  expect_fault(with("budjet = 3"), "study.toml:2:1:", {"did you mean 'budget'"});
  expect_fault(with("acquisition = \"eicool\""), "study.toml:2:1:", {"'eicool' is none of", "ei_cool"});
  expect_fault(with("design = {leastgain = 1}"), "study.toml:2:11:", {"did you mean 'least_gain'"});
  expect_fault(with("design = {least_gain = 3.0}"), "study.toml:2:11:", {"design.least_gain is 3", "from 0 to 1"});
  expect_fault(with("workers = 0"), "study.toml:2:11:", {"workers is the number 0", "from 1"});
  expect_fault(with("workers = \"two\""), "study.toml:2:11:", {"the text 'two'"});
  expect_fault(with("gpus = [0, -1]"), "study.toml:2:12:", {"gpus", "-1"});
  expect_fault(with("timeout = \"3 parsecs\""), "study.toml:2:11:", {"timeout", "90s"});
  expect_fault(with("retries = 2"), "study.toml:2:1:", {"retry_codes"});
  expect_fault(with("command = \"a | b\""), "study.toml:2:11:", {"'|'", "shell ="});
  expect_fault(with("command = [\"a\", \"{nn}\"]"),
               "study.toml:2:11:", {"'{nn}'", "known are id, seed, worker, dir, n"});
  expect_fault(with("command = [\"a\", \"{n\"]"), "study.toml:2:11:", {"command"});
  expect_fault(with("objective = \"jsn:x\""), "study.toml:2:13:", {"jsn:x", "json:KEY"});
  expect_fault(with("objective = \"stdout:(\""), "study.toml:2:13:", {"objective"});
  expect_fault(with("objective = {json = \"a\", stdout = \"b\"}"), "study.toml:2:", {"two ways"});
  expect_fault(with("seed = 1979-05-27"), "study.toml:2:8:", {"date"});
  expect_fault(with("constraints = [\"n < 3\", \"n * q < 3\"]"),
               "study.toml:2:25:", {"unknown name 'q'", "known are n"});
  expect_fault(with("constraints = [\"n + 3\"]"), "study.toml:2:16:", {"compares nothing"});
  expect_fault(with("cost = {features = [\"log(n)\", \"log(q)\"]}\nseed=1"), "no fault", {});  // seen by an optimizer
  expect_fault(with("budget = 3"), "study.toml:2:", {"no TOML"});
  expect_fault(with("durability = \"ful\""), "study.toml:2:1:", {"full or normal"});
  expect_fault(with("busy_wait = \"-1s\""), "study.toml:2:", {"busy_wait"});
  expect_fault(with("pool = \"none.csv\""), "study.toml:2:1:", {"none.csv cannot be read"});
  expect_fault("budget = \"2m\"\n[parameters]\nn = \"1..9\"\n", "study.toml:1:1:", {"slip of min or ms"});
  expect_fault("budget = \"-2h\"\n[parameters]\nn = \"1..9\"\n", "study.toml:1:10:", {"above 0"});
  expect_fault("budget = \"two hours\"\n[parameters]\nn = \"1..9\"\n", "study.toml:1:10:", {"no amount", "40 GPUh"});
  expect_fault("budget = \"2h\"\nmax_evaluations = 0\n[parameters]\nn = \"1..9\"\n",
               "study.toml:2:1:", {"at least 1"});
  expect_fault(small + "workers = 3\n",
               "study.toml:4:11:", {"parameter 'workers'", "range", "above the first [section]"});
  expect_fault("budget = 1\n[design]\nworkers = 3\n[parameters]\nn = \"1..9\"\n",
               "study.toml:3:1:", {"'workers'", "[design]"});
  expect_fault("budget = 1\n[parameters]\nn = \"9..1\"\n", "study.toml:3:5:", {"parameter 'n'"});
  expect_fault("budget = 1\n[parameters]\nn = {real = [0, 1], scale = \"lg\"}\n", "study.toml:3:", {"linear or log"});
  expect_fault("budget = 1\n[parameters]\nn = {reel = [0, 1]}\n", "study.toml:3:6:", {"did you mean 'real'"});
  expect_fault("budget = 1\n[parameters]\nn = \"adam\"\n", "study.toml:3:5:", {"'adam'", "1..19"});
  expect_fault("budget = 1\n[parameters]\nn = \"1..9\"\n[[try]]\nm = 3\n", "study.toml:5:1:", {"'m'", "known are n"});
  expect_fault("budget = 1\n[parameters]\nn = \"1..9\"\n[[try]]\nn = 30\n", "study.toml:4:", {"'n'", "30"});
}

TEST(StudyFileErrors, NoTextDoesMoreThanBeRefused) {
  const std::string whole = R"toml(budget = "40 GPUh"
command = ["a", "{n}"]
objective = {json = "x", factor = -1}
constraints = ["n * 2 <= rate or kind != 'x'"]
workers = 2
timeout = "30 min"
[cost]
measure = "wall"
features = [{work = "n^2"}, "log(rate)"]
surrogate = {fixed = {lengthscales = [1, 2, 3, 4], signal_variance = 2.0, noise_variance = 0.1}}
[parameters]
n = "1..9"
rate = {real = [1e-4, 1.0], scale = "log"}
kind = ["x", "y"]
size = "a<b"
[[try]]
n = 3
rate = 0.5
kind = "y"
size = "b"
)toml";
  ASSERT_NO_THROW(parsed(whole));
  // A linear congruential generator: the same changes everywhere.
  std::uint64_t state = 7;
  const auto next = [&](std::size_t below) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<std::size_t>(state >> 33) % below;
  };
  const std::string letters = "[]{}\"'=,.#\n -+0919eE<>|$\\\xff\x00in";
  std::size_t refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string changed = whole;
    for (std::size_t changes = 1 + next(3); changes > 0; --changes) {
      const std::size_t at = next(changed.size());
      if (next(3) == 0)
        changed.erase(at, 1 + next(8));
      else if (next(2) == 0)
        changed.insert(at, 1, letters[next(letters.size())]);
      else
        changed[at] = letters[next(letters.size())];
    }
    try {
      parsed(changed);
    } catch (const StudyFileError& error) {
      const std::string_view message = error.what();
      ASSERT_TRUE(message.starts_with("study.toml:")) << message << "\nof\n" << changed;
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000u);
}

TEST(StudyFileTables, PriorDataAndPools) {
  testing::Folder folder;
  std::ofstream(folder / "prior.csv") << "state,objective,n,cost,kind,extra\nsucceeded,0.5,3,2,\"a,b\",x\n"
                                         ",1.5,4,,y,\nfailed,,5,1,y,\nrunning,,5,,y,\n";
  std::ofstream(folder / "pool.csv") << "n,kind,price\n1,y,3\n2,\"a,b\",4\n";
  const std::string head = "budget = 10\nprior = \"prior.csv\"\n";
  const std::string tail = "[parameters]\nn = \"1..9\"\nkind = [\"a,b\", \"y\"]\n";
  const StudyFile file = parsed(head + tail, folder.path());
  ASSERT_EQ(file.prior.size(), 3u);
  EXPECT_EQ(file.prior[0].configuration.category("kind"), "a,b");
  EXPECT_EQ(file.prior[0].cost, 2);
  EXPECT_TRUE(std::isnan(file.prior[1].cost));
  EXPECT_EQ(file.prior[2].status, ObservationStatus::failed);

  const StudyFile pooled =
      parsed("budget = 10\npool = \"pool.csv\"\ncost = {known = {column = \"price\"}}\n" + tail, folder.path());
  ASSERT_EQ(pooled.options.candidates.pool->size(), 2u);
  EXPECT_EQ((**std::get_if<Quantity::Column>(&pooled.options.cost.known->source()))[1], 4);
  EXPECT_TRUE(pooled.how.given.quantities.empty());  // short columns are in the state

  std::ofstream(folder / "pool.bin", std::ios::binary).write("\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\xf0\x3f", 16);
  EXPECT_EQ(parsed("budget = 10\npool = \"pool.bin\"\n" + tail, folder.path()).options.candidates.pool->size(), 1u);

  const auto prior_fault = [&](const std::string& csv) {
    std::ofstream(folder / "prior.csv") << csv;
    return fault(head + tail, folder.path());
  };
  EXPECT_NE(prior_fault("n,kind,objective\n3,z,1\n").find("prior.csv:2: parameter 'kind'"), std::string::npos);
  EXPECT_NE(prior_fault("n,kind\n3,y\n").find("no column is called 'objective'"), std::string::npos);
  EXPECT_NE(prior_fault("n,kind,objective\n3,y,nan\n").find("not finite"), std::string::npos);
  EXPECT_NE(prior_fault("n,kind,objective,cost\n3,y,1,-2\n").find("above 0"), std::string::npos);
  EXPECT_NE(prior_fault("n,kind,objective\n3,\"y,1\n").find("never closed"), std::string::npos);
  EXPECT_NE(prior_fault("n,kind,objective\n3,y\n").find("2 fields where the header has 3"), std::string::npos);
}

TEST(StudyFileReadings, AreTextsOrTables) {
  const auto objective = [](const std::string& value) {
    return parsed("budget = 1\nobjective = " + value + "\n[parameters]\nn = \"1..9\"\n").objective;
  };
  EXPECT_EQ(objective("\"json\"").key, "objective");
  EXPECT_EQ(objective("\"json:a:b\"").key, "a:b");
  EXPECT_EQ(objective("{json = \"loss\", factor = -1}").factor, -1);
  const Reading pattern = objective("'stderr:([0-9.]+)%'");
  EXPECT_EQ(pattern.source, Reading::Source::pattern);
  EXPECT_EQ(pattern.pattern, "([0-9.]+)%");
  EXPECT_TRUE(pattern.standard_error);
  EXPECT_EQ(objective("{file = \"{dir}/out.json\", key = \"loss\"}").key, "loss");
  EXPECT_EQ(objective("\"file:{dir}/x\"").path, "{dir}/x");
  EXPECT_EQ(objective("\"memory\"").source, Reading::Source::memory);
  EXPECT_EQ(parsed(small).cost.source, Reading::Source::wall_clock);
}

TEST(StudyFileCommand, IsSplitAsAShellWouldAndNeverRunByOne) {
  const auto words = [](const std::string& value) {
    return parsed("budget = 1\ncommand = " + value + "\n[parameters]\nn = \"1..9\"\n").command->arguments;
  };
  EXPECT_EQ(words(R"("a  'b c' d\\ e '' 'x|y'")"), (std::vector<std::string>{"a", "b c", "d e", "", "x|y"}));
  EXPECT_EQ(words(R"toml(["a b", "$(x)", ";"])toml"), (std::vector<std::string>{"a b", "$(x)", ";"}));
}

}  // namespace
}  // namespace carbo::program
