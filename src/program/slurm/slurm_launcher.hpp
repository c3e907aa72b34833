#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include <carbo/study.hpp>

#include "program/commands/spool_folder.hpp"
#include "program/slurm/batch.hpp"
#include "program/slurm/client.hpp"
#include "program/slurm/task_result.hpp"

namespace carbo::program {

/// Evaluations as tasks of Slurm's job arrays: those that are wanted at about the same time are one array. Tasks drop
/// their results into a folder, and outlive the runner; another one of the same study takes up those that are on
/// their way under the id of their suggestion, for the same point. The queue says what becomes of those that drop
/// nothing.
class SlurmLauncher final : public Launcher {
 public:
  /// `study_mark`: see mark_of. `say`: called by threads of its own. Throws Error where the folder cannot be used.
  SlurmLauncher(Spawner& spawner, const StudyFile& study, std::string study_mark,
                const std::filesystem::path& evaluations, std::function<void(const std::string&)> say);
  ~SlurmLauncher() override;
  SlurmLauncher(const SlurmLauncher&) = delete;
  SlurmLauncher& operator=(const SlurmLauncher&) = delete;

  EvaluationRecord evaluate(const Configuration& configuration, const Assignment& assignment,
                            const EvaluationWatch& watch) override;
  void told(std::uint64_t id) override;

 private:
  /// A task that has ended, as the queue has it, and since when that is known.
  struct Over {
    TaskFate fate = TaskFate::lost;
    std::string state;
    double run_seconds = 0;
    double since = 0;       ///< on the steady clock
    std::size_t scans = 0;  ///< of the results' folder, by then
    bool settled = false;   ///< no result is to be expected any more
  };
  struct Flight {
    BatchTask task;
    std::shared_ptr<Batch> batch;  ///< none while it waits to be submitted
    std::size_t index = 0;         ///< in the batch
    double submitted = 0;          ///< on the steady clock; 0: by an earlier runner
    bool awaited = false;          ///< by a worker of this runner
    std::size_t losses = 0;
    std::optional<Over> over;
    std::string refused;  ///< why it cannot be submitted
    std::condition_variable changed;
  };
  struct Arrived {
    std::string file;
    TaskResult result;
  };

  void take_up_earlier();
  void say_left_alone(const std::string& what, const std::vector<std::string>& names);
  void cancel_the_rest();
  void say_other_point(const std::string& file, std::uint64_t id);

  // By workers, with the mutex held.
  Flight& awaited(const Configuration& configuration, const Assignment& assignment);
  void forget_other_point(std::uint64_t id, const Json& configuration);
  EvaluationRecord arrived(std::uint64_t id, std::vector<StepLine>& steps);
  std::optional<EvaluationRecord> ended(Flight& flight, std::vector<StepLine>& steps);
  EvaluationRecord given_up(Flight& flight);
  void queue(Flight& flight);

  // By the thread that looks for results.
  void collect(const std::stop_token& stop);
  void scan();
  void keep(const std::string& file, TaskResult result);

  // By the thread that talks to Slurm.
  void schedule(const std::stop_token& stop);
  void submit_queued(const std::stop_token& stop);
  std::optional<std::uint64_t> submitted_job(const Batch& batch, const std::stop_token& stop, std::string& refused);
  void look(const std::stop_token& stop);
  void settle();
  void name_unneeded();
  void cancel_surplus(const std::stop_token& stop);
  void complain(const std::string& what);

  const StudyFile& study_;
  std::string study_mark_;
  std::function<void(const std::string&)> say_;
  std::filesystem::path evaluations_, folder_;
  SpoolFolder spool_;
  SlurmClient client_;
  std::string job_prefix_;

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::map<std::uint64_t, Flight> flights_;   ///< by id; those of earlier runners, too
  std::map<std::uint64_t, Arrived> arrived_;  ///< by id, until they are told
  std::set<std::uint64_t> told_;
  std::set<std::string> seen_;        ///< files of results
  std::deque<std::uint64_t> queued_;  ///< to be submitted
  double queued_since_ = 0;           ///< on the steady clock
  /// Tasks that nobody needs any more, by the names of their jobs; none: the whole job.
  std::map<std::string, std::vector<std::string>> surplus_;
  /// The same, by their indices, until the numbers of their jobs are known.
  std::vector<std::pair<std::shared_ptr<Batch>, std::size_t>> unneeded_;
  double next_cancel_ = 0;              ///< on the steady clock; 0: nothing was refused
  std::vector<std::uint64_t> dropped_;  ///< ids whose tasks are cancelled at the end
  std::size_t scans_ = 0;
  std::size_t batches_ = 0;
  bool complained_ = false;  ///< that Slurm does not answer
  std::jthread collector_, scheduler_;
};

}  // namespace carbo::program
