#pragma once

#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include <carbo/study.hpp>

#include "program/evaluation/launcher.hpp"
#include "program/evaluation/signals.hpp"
#include "program/run/display.hpp"
#include "program/run/run.hpp"

namespace carbo::program {

/// One `carbo run`: the library's closed loop on a study, with processes as its objective.
class Runner {
 public:
  Runner(const StudyFile& file, Study& study, Launcher& launcher, const Signals& signals, Display& display,
         bool verbose);

  /// What the program ends with.
  int run();

 private:
  struct Report {
    std::uint64_t id = 0;
    carbo::Report report;
  };
  struct Done {
    EvaluationRecord record;
    double started = 0, ended = 0;  ///< seconds since 1970
  };

  // By worker threads.
  Evaluation evaluate(const Configuration& configuration, const EvaluationContext& context);
  EvaluationRecord attempt(const Configuration& configuration, const EvaluationContext& context);
  Evaluation judged(const EvaluationRecord& record, const EvaluationContext& context);
  double seconds_of(const EvaluationContext& context) const;
  void give_up(const std::string& why);

  // By the thread of the loop.
  void look();
  void take_up_wishes();
  void store_reports();
  TrialNotes notes(std::uint64_t id);
  void show(const Progress& progress);
  void show_result(const Observation& last);
  int conclude(const Result& result);

  const StudyFile& file_;
  Study& study_;
  Launcher& launcher_;
  const Signals& signals_;
  Display& display_;
  bool verbose_;
  std::uint64_t seed_;                    ///< of the study, for threads that must not ask it
  std::uint64_t device_ = 0, inode_ = 0;  ///< of the database

  std::stop_source stop_;  ///< by the second signal, or because nothing can go on
  std::stop_callback<std::function<void()>> by_signal_;
  std::mutex mutex_;
  std::map<std::uint64_t, Done> done_;  ///< evaluations that ended, until they are told
  std::vector<Report> reports_;         ///< that are not stored yet
  std::string fatal_;                   ///< why nothing can go on
};

/// Takes back what a runner that is dead had prepared and not begun.
void withdraw_prepared(Study& study);

/// What is known of a study before it runs on.
RunView first_view(const StudyFile& file, const Study& study);

}  // namespace carbo::program
