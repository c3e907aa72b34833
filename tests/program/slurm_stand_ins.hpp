#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "program/running.hpp"

namespace carbo::program::testing {

inline const std::string slurm_folder_name = "study.runs/study/slurm/";

/// sbatch leaves the tasks of an array to `node`, unless there is a file `hold`; a task's state is a file of `queue`.
/// With a file `mute` it does so and says nothing of it.
inline constexpr const char* sbatch = R"sh(#!/bin/sh
here=$(dirname "$0")
[ ! -e "$here/refuse" ] || { cat "$here/refuse" >&2; exit 1; }
for word; do
  case $word in
    --job-name=*) name=${word#*=} ;;
    --array=0-*) last=${word#--array=0-} ;;
  esac
  script=$word
done
job=$(($(cat "$here/job" 2>/dev/null || echo 100) + 1))
echo $job > "$here/job"
for index in $(seq 0 "$last"); do
  echo RUNNING > "$here/queue/$name.$job.$index"
  echo "$script" > "$here/new"
  [ -e "$here/hold" ] || mv "$here/new" "$here/todo/$name.$job.$index"
done
[ ! -e "$here/mute" ] || { echo "sbatch: error: Socket timed out on send/recv operation" >&2; exit 1; }
echo $job
)sh";
inline constexpr const char* node = R"sh(#!/bin/sh
cd "$(dirname "$0")"
while sleep 0.02; do
  for file in todo/*; do
    [ -e "$file" ] || continue
    script=$(cat "$file")
    rm "$file"
    task=${file#todo/}
    (
      cd ..
      if SLURM_ARRAY_TASK_ID=${task##*.} sh "$script"; then state=COMPLETED; else state=FAILED; fi
      echo $state > "slurm/queue/$task"
    ) > "${script%/*}/slurm-${task##*.}.out" 2>&1 &
  done
done
)sh";
inline constexpr const char* squeue = R"sh(#!/bin/sh
here=$(dirname "$0")
[ ! -e "$here/away" ] || { echo "slurm_load_jobs error: Unable to contact slurm controller" >&2; exit 1; }
for word; do case $word in --name=*) names=${word#*=} ;; esac; done
for file in "$here"/queue/*; do
  [ -e "$file" ] || continue
  base=${file##*/}
  case ",$names," in *",${base%%.*},"*) ;; *) continue ;; esac
  rest=${base#*.}
  echo "${base%%.*}|${rest%.*}|${rest#*.}|$(cat "$file")|0:07|None"
done
)sh";
inline constexpr const char* scancel = R"sh(#!/bin/sh
here=$(dirname "$0")
[ ! -e "$here/deaf" ] || { echo "scancel: error: Unable to contact slurm controller" >&2; exit 1; }
name='*' tasks=
for word; do
  case $word in
    --name=*) name=${word#*=} ;;
    *) tasks="$tasks ${word%_*}.${word#*_}" ;;
  esac
done
for task in ${tasks:-'*'}; do
  for file in "$here"/queue/$name.$task; do [ ! -e "$file" ] || echo CANCELLED > "$file"; done
done
)sh";

/// A study whose evaluations note that they begin, with the stand-ins in the folder `slurm`.
class StoodIn : public Running {
 public:
  explicit StoodIn(const std::string& more = "", const std::string& evaluate = R"sh(echo "{\"objective\": $1}")sh")
      : Running(
            "budget = \"6 evaluations\"\nworkers = 3\nlauncher = \"slurm\"\nacquisition = \"random\"\n"
            "command = [\"./evaluate\", \"{level}\"]\n" +
                more + "[slurm]\npoll = \"0.1s\"\nsettle = \"0.2s\"\n[parameters]\nlevel = \"1..500\"\n",
            "#!/bin/sh\necho $CARBO_ID >> begun\n" + evaluate + "\n") {
    for (const auto& [name, text] : std::map<std::string, const char*>{
             {"sbatch", sbatch}, {"squeue", squeue}, {"scancel", scancel}, {"node", node}}) {
      write("slurm/" + name, text);
      std::filesystem::permissions(*this / ("slurm/" + name), std::filesystem::perms::owner_all);
    }
    for (const char* const folder : {"slurm/queue", "slurm/todo"})
      std::filesystem::create_directories(*this / folder);
    path_ = std::getenv("PATH");
    ::setenv("PATH", ((*this / "slurm").string() + ":" + path_).c_str(), 1);
    node_ = ::fork();
    ::setpgid(node_, node_);  // by both: neither waits for the other
    if (node_ != 0) return;
    ::execl((*this / "slurm/node").c_str(), "node", nullptr);
    ::_exit(127);
  }
  ~StoodIn() {
    ::kill(-node_, SIGKILL);
    ::waitpid(node_, nullptr, 0);
    ::setenv("PATH", path_.c_str(), 1);
  }

  /// How often each evaluation has begun.
  std::map<std::string, int> begun() const {
    std::map<std::string, int> counts;
    for (const std::string& id : lines_of(read("begun"))) ++counts[id];
    return counts;
  }
  std::size_t left_in_spool() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(*this / "study.runs/study/slurm/results"))
      count += entry.is_regular_file() ? 1 : 0;
    return count;
  }
  /// Of the task of an array that has one, by the end of the name of its job.
  std::string state_of(const std::string& batch) const {
    for (const auto& entry : std::filesystem::directory_iterator(*this / "slurm/queue"))
      if (entry.path().filename().string().find(batch + ".") != std::string::npos) return content(entry.path());
    return "unknown";
  }
  void set_states(const std::string& state) const {
    for (const auto& entry : std::filesystem::directory_iterator(*this / "slurm/queue"))
      write("slurm/queue/" + entry.path().filename().string(), state + "\n");
  }
  bool queued(std::size_t tasks) const {
    return comes_true([&] {
      std::error_code error;
      const std::filesystem::directory_iterator found(*this / "slurm/queue", error);
      return !error && static_cast<std::size_t>(std::distance(found, {})) >= tasks;
    });
  }

 private:
  std::string path_;
  pid_t node_ = 0;
};

}  // namespace carbo::program::testing
