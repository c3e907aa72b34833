#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "program/commands/commands.hpp"
#include "program/commands/control.hpp"
#include "program/commands/error_names.hpp"
#include "program/commands/opening.hpp"
#include "program/commands/records.hpp"
#include "program/support/nearest.hpp"

namespace carbo::program {
namespace {

constexpr std::size_t longest_line = 64u << 20;  ///< bytes of a request

/// One request after the other on one study.
class Server {
 public:
  explicit Server(Study study) : study_(std::move(study)) {
    const auto with_id = [](auto call) {
      return [call](const Json& request) { return call(request, id_of(request)); };
    };
    handlers_ = {
        {"ask", [this](const Json& request) { return ask(request); }},
        {"tell", [this](const Json& request) { return told(request); }},
        {"fail", [this](const Json& request) { return told(request); }},
        {"withdraw", with_id([this](const Json&, std::uint64_t id) {
           study_.withdraw(id);
           return Json::object();
         })},
        {"renew", with_id([this](const Json&, std::uint64_t id) {
           study_.renew(std::span(&id, 1));
           return Json::object();
         })},
        {"adopt",
         [this](const Json& request) {
           return Json{{"id", study_.adopt(configuration(request))}};
         }},
        {"enqueue",
         [this](const Json& request) {
           study_.enqueue(configuration(request));
           return Json{{"enqueued", study_.enqueued().size()}};
         }},
        {"pause",
         [this](const Json&) {
           study_.pause();
           return status();
         }},
        {"resume",
         [this](const Json&) {
           study_.resume();
           return status();
         }},
        {"budget",
         [this](const Json& request) {
           study_.change_limits(limits_of(request, study_.options()));
           return status();
         }},
        {"report", with_id([this](const Json& request, std::uint64_t id) { return report(request, id); })},
        {"predict", [this](const Json& request) { return predict(request); }},
        {"importance",
         [this](const Json&) {
           const auto shares = study_.importance();
           return Json{{"importance", shares ? json_of(*shares) : Json(nullptr)}};
         }},
        {"best",
         [this](const Json&) {
           const auto trial = study_.best();
           return Json{{"best", trial ? json_of(*trial) : Json(nullptr)}};
         }},
        {"status", [this](const Json&) { return status(); }},
        {"trials",
         [this](const Json&) {
           Json all = Json::array();
           for (const Trial& trial : study_.trials()) all.push_back(json_of(trial));
           return Json{{"trials", std::move(all)}};
         }},
    };
    for (const auto& handler : handlers_) names_.push_back(handler.first);
  }

  /// One line, whatever the request is.
  std::string answer(const std::string& line) {
    Json reply = Json::object();
    try {
      const Json request = parse_json(line, "the request");
      if (!request.is_object())
        throw InvalidObservation(R"(a request is an object, such as {"op": "ask", "count": 4})");
      if (request.contains("request")) reply["request"] = request["request"];
      reply["ok"] = true;
      reply.update(handler(request)(request));
    } catch (const std::exception& error) {
      reply.erase("ok");
      reply["ok"] = false;
      reply["error"] = {{"type", error_name(error)}, {"message", error.what()}};
    }
    return json_line(reply);
  }

 private:
  using Handler = std::function<Json(const Json&)>;

  const Handler& handler(const Json& request) const {
    const std::string op =
        request.contains("op") && request["op"].is_string() ? request["op"].get<std::string>() : "";
    const auto found = handlers_.find(op);
    if (found == handlers_.end())
      throw InvalidObservation(fmt::format("there is no op '{}'{}", op, suggestion_for(op, names_)));
    return found->second;
  }

  static std::uint64_t id_of(const Json& request) {
    if (!request.contains("id") || !request["id"].is_number_unsigned())
      throw InvalidObservation("'id' is missing; give the number that ask gave");
    return request["id"].get<std::uint64_t>();
  }

  Configuration configuration(const Json& request) const {
    if (!request.contains("configuration"))
      throw InvalidObservation("'configuration' is missing; give an object with a value a parameter");
    return configuration_of(study_.space(), request["configuration"]);
  }

  Json status() const { return {{"status", json_of(study_.summary(), study_.options().max_evaluations)}}; }

  Json ask(const Json& request) {
    std::size_t count = study_.options().batch_size;
    if (request.contains("count")) {
      const Json& given = request["count"];
      if (!given.is_number_unsigned() || given.get<std::uint64_t>() < 1)
        throw InvalidObservation(fmt::format("'count' is {}; give a whole number from 1 on", json_line(given)));
      count = given.get<std::size_t>();
    }
    Json list = Json::array();
    for (const Suggestion& each : study_.ask(count)) list.push_back(json_of(each, false));
    return {{"suggestions", std::move(list)}, {"stop_reason", to_string(study_.stop_reason())}};
  }

  Json told(const Json& request) {
    Json plain = request;
    const bool failed = request["op"] == "fail";
    plain.erase("op");
    plain.erase("request");
    if (failed) {
      plain["failed"] = request.contains("reason") ? request["reason"] : Json("failed");
      plain.erase("reason");
    }
    record(study_, result_of(study_.space(), plain, "the request"));
    return {{"spent", study_.spent()}, {"stop_reason", to_string(study_.stop_reason())}};
  }

  Json report(const Json& request, std::uint64_t id) {
    Report report;
    if (!request.contains("step") || !request["step"].is_number())
      throw InvalidObservation("'step' is missing; give a number");
    report.step = request["step"].get<double>();
    if (request.contains("values") && !request["values"].is_object())
      throw InvalidObservation(
          fmt::format("'values' is {}; give an object of numbers", json_line(request["values"])));
    if (request.contains("values"))
      for (const auto& [key, value] : request["values"].items()) {
        if (!value.is_number()) throw InvalidObservation(fmt::format("the value '{}' is no number", key));
        report.values[key] = value.get<double>();
      }
    study_.report(id, report);
    return Json::object();
  }

  Json predict(const Json& request) {
    std::vector<Configuration> asked;
    if (request.contains("configurations") && request["configurations"].is_array())
      for (const Json& each : request["configurations"]) asked.push_back(configuration_of(study_.space(), each));
    else
      asked.push_back(configuration(request));
    double coverage = 0.95;
    if (request.contains("coverage")) {
      if (!request["coverage"].is_number())
        throw InvalidObservation(
            fmt::format("'coverage' is {}; give a number between 0 and 1", json_line(request["coverage"])));
      coverage = request["coverage"].get<double>();
    }
    Json list = Json::array();
    for (const Prediction& each : study_.predict(asked, coverage)) list.push_back(json_of(each));
    return {{"predictions", std::move(list)}};
  }

  Study study_;
  std::map<std::string, Handler> handlers_;
  std::vector<std::string> names_;
};

/// A line without its end; false at the end of the input. One that is too long is read to its end, and `whole` false.
bool next_line(std::istream& in, std::string& line, bool& whole) {
  line.clear();
  whole = true;
  std::streambuf& buffer = *in.rdbuf();
  for (;;) {
    const int c = buffer.sbumpc();
    if (c == std::char_traits<char>::eof()) return !line.empty();
    if (c == '\n') return true;
    if (line.size() < longest_line)
      line += static_cast<char>(c);
    else
      whole = false;
  }
}

}  // namespace

Exit serve(Terminal& terminal, const StudyArgument& argument) {
  // Its owner is this process: what it asked for is free when it ends.
  OpenedStudy opened = opened_to_change(terminal, argument);
  Server server(std::move(opened.study));
  std::string line;
  bool whole = true;
  while (next_line(std::cin, line, whole)) {
    if (!whole)
      line = "\"a line of more than 64 MiB\"";
    else if (line.find_first_not_of(" \t\r") == std::string::npos)
      continue;
    terminal.out << server.answer(line) << std::endl;
  }
  return Exit::success;
}

}  // namespace carbo::program
