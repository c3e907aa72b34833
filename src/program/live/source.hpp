#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include <carbo/study.hpp>

#include "program/commands/commands.hpp"
#include "program/support/json.hpp"

namespace carbo::program {

/// What is shown of a study while others change it. May be used from several threads.
class LiveSource {
 public:
  explicit LiveSource(StudyArgument which);

  /// The page's data as of now. Models are asked again at most every `model_pause`. Throws what opening throws.
  Json data();
  /// State and counts.
  std::string summary() const;
  /// Whoever looks on hears of it at once.
  void enqueue(const Json& configuration);
  void pause();
  void resume();
  void change_budget(const Json& request);

  /// Something that has changed, or that the study cannot be read any more.
  struct News {
    std::uint64_t version = 0;
    std::string event, text;  ///< "change" with the summary, "gone" with the reason
  };
  /// Waits for news after a version, at most so long; the last ones where none came.
  News wait(std::uint64_t after, std::chrono::milliseconds most);
  void stop();

  static constexpr std::chrono::seconds model_pause{20};
  static constexpr std::chrono::milliseconds look_pause{1000};

 private:
  void change(const std::function<void(Study&)>& make);
  void look(const std::stop_token& over);
  void publish(const std::string& event, std::string text);

  StudyArgument which_;
  std::mutex asking_;  ///< one page at a time is made
  Json models_;
  double models_of_ = -1;  ///< when the study they are of was changed last
  std::chrono::steady_clock::time_point asked_{};

  std::mutex mutex_;
  std::condition_variable_any news_came_;
  News news_;
  std::jthread watcher_;
};

}  // namespace carbo::program
