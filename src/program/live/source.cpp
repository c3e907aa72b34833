#include "program/live/source.hpp"

#include "program/commands/control.hpp"
#include "program/commands/records.hpp"
#include "program/file/open_study.hpp"
#include "program/report/page_data.hpp"

namespace carbo::program {

LiveSource::LiveSource(StudyArgument which) : which_(std::move(which)) {
  summary();  // a study that is not there is said at once
  watcher_ = std::jthread([this](const std::stop_token& over) { look(over); });
}

std::string LiveSource::summary() const {
  const Study study = open_to_read(which_.study, which_.name);
  return json_line(json_of(study.summary(), study.options().max_evaluations));
}

Json LiveSource::data() {
  const std::lock_guard one(asking_);
  OpenedStudy opened = open_to_question(which_.study, which_.name);
  const double changed = opened.study.summary().changed;
  const auto now = std::chrono::steady_clock::now();
  PageSettings settings;
  settings.models = models_.is_null() || (changed != models_of_ && now - asked_ >= model_pause);
  Json page = study_data(opened, settings);
  if (settings.models) {
    models_ = page["models"];
    models_of_ = changed;
    asked_ = std::chrono::steady_clock::now();
  } else {
    page["models"] = models_;
  }
  return {{"kind", "report"}, {"live", true}, {"studies", Json::array({std::move(page)})}};
}

void LiveSource::change(const std::function<void(Study&)>& make) {
  Study study = open_to_read(which_.study, which_.name);
  make(study);
  publish("change", summary());
}

void LiveSource::enqueue(const Json& configuration) {
  const std::lock_guard one(asking_);
  OpenedStudy opened = open_to_question(which_.study, which_.name);
  opened.study.enqueue(configuration_of(opened.study.space(), configuration));
  publish("change", summary());
}

void LiveSource::pause() {
  change([](Study& study) { study.pause(); });
}

void LiveSource::resume() {
  change([](Study& study) { study.resume(); });
}

void LiveSource::change_budget(const Json& request) {
  change([&](Study& study) { study.change_limits(limits_of(request, study.options())); });
}

void LiveSource::publish(const std::string& event, std::string text) {
  const std::lock_guard locked(mutex_);
  if (news_.event == event && news_.text == text) return;
  news_ = {news_.version + 1, event, std::move(text)};
  news_came_.notify_all();
}

void LiveSource::look(const std::stop_token& over) {
  while (!over.stop_requested()) {
    try {
      publish("change", summary());
    } catch (const std::exception& error) {
      publish("gone", json_line(error.what()));
    }
    std::unique_lock locked(mutex_);
    news_came_.wait_for(locked, over, look_pause, [] { return false; });
  }
}

LiveSource::News LiveSource::wait(std::uint64_t after, std::chrono::milliseconds most) {
  std::unique_lock locked(mutex_);
  news_came_.wait_for(locked, watcher_.get_stop_token(), most, [&] { return news_.version != after; });
  return news_;
}

void LiveSource::stop() { watcher_.request_stop(); }

}  // namespace carbo::program
