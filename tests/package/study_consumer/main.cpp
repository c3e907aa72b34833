// A program outside the tree: a study in a file, left and gone on with, from the installed package alone.

#include <cstdio>
#include <filesystem>

#include <carbo/study.hpp>

int main() {
  const carbo::Space space{carbo::real("x", 0.0, 1.0)};
  carbo::Options options;
  options.budget = 20;
  options.cost.unit = "EUR";
  std::filesystem::remove("consumer.db");
  {
    carbo::Study study = carbo::Study::open("consumer.db", "first", space, options);
    for (const carbo::Suggestion& one : study.ask(2)) study.tell(one.id, {one.configuration.real("x"), 1.0});
  }
  carbo::Study study = carbo::Study::open("consumer.db");
  const carbo::Result result = carbo::minimize(study, [](const carbo::Configuration& point) {
    return carbo::Evaluation{point.real("x"), 1.0};
  });
  if (result.observations.size() != 20 || result.stop_reason != carbo::StopReason::budget) {
    std::fprintf(stderr, "consumer: %zu observations, %s\n", result.observations.size(), result.error.c_str());
    return 1;
  }
  std::printf("consumer: %.6f\n", result.best->objective);
}
