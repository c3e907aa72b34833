// How fast studies in a file are: transactions, the closed loop, and reading many trials.
//
//     bench_study_store [FOLDER]    in which the files are made; by default that for temporary ones
//
// Ends with 1 where the closed loop makes fewer than 200 evaluations a second of random picks, or a tell beside an
// ask waits for longer than 50 ms.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <carbo/json.hpp>
#include <carbo/study.hpp>

namespace {

using namespace carbo;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

template <class Call>
double seconds_of(const Call& call) {
  const auto begin = Clock::now();
  call();
  return seconds_since(begin);
}

Space space_of_six() {
  return Space{real("rate", 1e-5, 1).log(),          integer("layers", 1, 8),         real("dropout", 0, 0.9),
               categorical("kind", {"a", "b", "c"}), integer("width", 8, 1024).log(), real("decay", 0, 1)};
}

Options options_of(Acquisition acquisition) {
  Options options;
  options.budget = 1e12;
  options.cost.unit = "EUR";
  options.acquisition = acquisition;
  options.execution = Execution::asynchronous;
  return options;
}

Evaluation free_of_charge(const Configuration& point) {
  return {std::pow(std::log10(point.real("rate")) + 2, 2) + point.real("dropout"), 1};
}

StudyOptions with(Durability durability) {
  StudyOptions how;
  how.durability = durability;
  return how;
}

/// Evaluations a second that take no time.
double loop_speed(const std::filesystem::path& file, Durability durability, std::size_t evaluations) {
  Options options = options_of(Acquisition::random);
  options.max_evaluations = evaluations;
  Study study = Study::open(file, "loop", space_of_six(), options, with(durability));
  const double seconds = seconds_of([&] { minimize(study, free_of_charge); });
  return static_cast<double>(evaluations) / seconds;
}

double tell_speed(const std::filesystem::path& file, Durability durability, std::size_t count) {
  Study study = Study::open(file, "tells", space_of_six(), options_of(Acquisition::random), with(durability));
  std::vector<Configuration> points;
  for (const Suggestion& one : study.ask(64)) points.push_back(one.configuration);
  Observation told{{}, points[0], ObservationStatus::succeeded, Origin::this_run, 1, 1, ""};
  return static_cast<double>(count) / seconds_of([&] {
           for (std::size_t i = 0; i < count; ++i) {
             told.configuration = points[i % points.size()];
             told.objective = std::sin(static_cast<double>(i));
             study.tell(told);
           }
         });
}

/// Longest of many tells, each beside an ask that another makes with models of some hundred points.
double longest_tell(const std::filesystem::path& file, double& longest_ask) {
  Options options = options_of(Acquisition::ei_cool);
  options.batch_size = 8;
  Study asker = Study::open(file, "beside", space_of_six(), options);
  for (std::size_t n = 0; n < 200;)
    for (const Suggestion& one : asker.ask(8)) {
      asker.tell(one.id, free_of_charge(one.configuration));
      ++n;
    }
  Study teller = Study::open(file, "beside");
  const Configuration point = asker.trials().front().configuration;
  std::atomic<bool> over = false;
  double longest = 0;
  std::thread telling([&] {
    const Observation told{{}, point, ObservationStatus::succeeded, Origin::prior, 1, 1, ""};
    while (!over) {
      longest = std::max(longest, seconds_of([&] { teller.tell(told); }));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  for (int i = 0; i < 4; ++i) longest_ask = std::max(longest_ask, seconds_of([&] { asker.ask(2); }));
  over = true;
  telling.join();
  return longest;
}

/// A study of so many points that another process goes on with: open and one suggestion, models as they are.
double fresh_ask(const std::filesystem::path& file, std::size_t points) {
  {
    Study study =
        Study::open(file, "fresh", space_of_six(), options_of(Acquisition::ei_cool), with(Durability::normal));
    Observation told{{}, {}, ObservationStatus::succeeded, Origin::this_run, 1, 1, "", {}, {}, Phase::search};
    for (std::size_t i = 0; i < points; ++i) {
      const double u = std::fmod(0.618 * static_cast<double>(i), 1.0);
      const double v = std::fmod(0.755 * static_cast<double>(i), 1.0);
      told.configuration = study.space().decode(
          std::vector<double>{u, v, 1 - u, u < 0.3 ? 1.0 : 0.0, u < 0.3 ? 0.0 : 1.0, 0, 1 - v, u * v});
      told.objective = free_of_charge(told.configuration).objective;
      study.tell(told);
    }
    study.ask(1);
  }
  return seconds_of([&] {
    Study study = Study::open(file, "fresh");
    study.ask(1);
  });
}

void print(const char* what, double value, const char* unit) {
  std::printf("| %s | %.4g %s |\n", what, value, unit);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  std::string folder =
      (std::filesystem::path(count > 1 ? arguments[1] : std::filesystem::temp_directory_path().c_str()) /
       "carbo_bench_XXXXXX")
          .string();
  if (mkdtemp(folder.data()) == nullptr) {
    std::fprintf(stderr, "no folder could be made in %s\n", folder.c_str());
    return 2;
  }
  const std::filesystem::path here = folder;
  std::printf("| measured | |\n| --- | ---: |\n");
  const double loop = loop_speed(here / "loop.db", Durability::normal, 100);
  print("closed loop, random picks, n < 100, normal", loop, "evaluations/s");
  print("closed loop, random picks, n < 100, full", loop_speed(here / "full.db", Durability::full, 100),
        "evaluations/s");
  print("tells, full", tell_speed(here / "tells.db", Durability::full, 500), "/s");
  const std::size_t many = 100000;
  print("tells to 100,000 trials, normal", tell_speed(here / "many.db", Durability::normal, many), "/s");
  print("file of 100,000 trials", static_cast<double>(std::filesystem::file_size(here / "many.db")) / 1e6, "MB");
  std::optional<Study> study;
  print("open it", 1e3 * seconds_of([&] { study.emplace(Study::open(here / "many.db")); }), "ms");
  print("summary", 1e3 * seconds_of([&] { study->summary(); }), "ms");
  std::vector<Trial> trials;
  print("list its trials", seconds_of([&] { trials = study->trials(); }), "s");
  print("export them as JSON", seconds_of([&] {
          std::ofstream out(here / "trials.json");
          for (const Trial& trial : study->trials()) out << to_json(trial.configuration) << '\n';
        }),
        "s");
  print("open and ask anew, n = 1,000", fresh_ask(here / "fresh.db", 1000), "s");
  double longest_ask = 0;
  const double longest = longest_tell(here / "beside.db", longest_ask);
  print("longest tell beside asks", 1e3 * longest, "ms");
  print("longest of these asks", 1e3 * longest_ask, "ms");
  std::filesystem::remove_all(here);
  return trials.size() > many && loop >= 200 && longest <= 0.05 ? 0 : 1;
}
