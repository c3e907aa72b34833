#include "study_calls.hpp"

#include <exception>
#include <limits>
#include <optional>
#include <utility>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "named.hpp"
#include "python_tree.hpp"
#include "records.hpp"

namespace carbo::python {
namespace {

TrialNotes notes_of(const std::map<std::string, double>& metrics, std::optional<double> started,
                    std::optional<double> ended) {
  return {.metrics = metrics, .started = started, .ended = ended};
}

void tell_point(StudyHandle& handle, const Numbers& numbers, const nb::dict& parts, const nb::dict& metrics,
                std::optional<double> started, std::optional<double> ended) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const auto number = [&](const char* key) { return parts[key].is_none() ? unknown : nb::cast<double>(parts[key]); };
  Observation observation;
  observation.configuration = point(handle, numbers);
  observation.status = named<ObservationStatus>(nb::cast<nb::str>(parts["status"]), "status");
  observation.origin = named<Origin>(nb::cast<nb::str>(parts["origin"]), "origin");
  observation.objective = number("objective");
  observation.cost = number("cost");
  observation.reason = to_text(parts["reason"]);
  observation.batch = nb::cast<std::optional<std::uint64_t>>(parts["batch"]);
  observation.slot = nb::cast<std::optional<std::size_t>>(parts["slot"]);
  observation.phase = named<Phase>(nb::cast<std::optional<nb::str>>(parts["phase"]), "phase");
  const TrialNotes notes = notes_of(metrics_of(metrics), started, ended);
  handle.call([&](auto& engine) {
    if constexpr (in_memory<std::decay_t<decltype(engine)>>)
      engine.tell(observation);
    else
      engine.tell(observation, notes);
  });
}

/// A result of a pending point; a failure where there is no objective.
struct Told {
  std::uint64_t id = 0;
  std::optional<double> objective;
  double cost = 0;
  std::string reason;
  bool timed_out = false;
  TrialNotes notes;
};

Told told_of(const nb::tuple& record) {
  return {nb::cast<std::uint64_t>(record[0]),
          nb::cast<std::optional<double>>(record[1]),
          nb::cast<double>(record[2]),
          to_text(nb::cast<nb::str>(record[3])),
          nb::cast<bool>(record[4]),
          notes_of(metrics_of(nb::cast<nb::dict>(record[5])), nb::cast<std::optional<double>>(record[6]),
                   nb::cast<std::optional<double>>(record[7]))};
}

void tell_one(Optimizer& optimizer, const Told& told) {
  if (told.objective)
    optimizer.tell(told.id, Evaluation{*told.objective, told.cost});
  else
    optimizer.fail(told.id, told.cost, told.reason, told.timed_out);
}

void tell_one(carbo::Study& study, const Told& told) {
  if (told.objective)
    study.tell(told.id, Evaluation{*told.objective, told.cost}, told.notes);
  else
    study.fail(told.id, told.cost, told.reason, told.timed_out, told.notes);
}

void tell_one(StudyHandle& handle, const Told& told) {
  handle.call([&](auto& engine) { tell_one(engine, told); });
}

/// `change` of each of `all` in one transaction; what is not pending any more is passed over.
template <class All, class Change>
void change_pending(carbo::Study& study, const All& all, const Change& change) {
  study.at_once([&] {
    for (const auto& each : all) {
      try {
        change(each);
      } catch (const UnknownSuggestion&) {  // its part of the transaction is taken back
      }
    }
  });
}

/// One that is refused keeps no other from being told.
void tell_each(Optimizer& optimizer, const std::vector<Told>& all) {
  std::exception_ptr first;
  for (const Told& each : all) {
    try {
      tell_one(optimizer, each);
    } catch (const Error&) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

void tell_all(StudyHandle& handle, const nb::list& records) {
  std::vector<Told> all;
  for (const nb::handle record : records) all.push_back(told_of(nb::cast<nb::tuple>(record)));
  handle.call([&](auto& engine) {
    if constexpr (in_memory<std::decay_t<decltype(engine)>>)
      tell_each(engine, all);
    else
      change_pending(engine, all, [&](const Told& each) { tell_one(engine, each); });
  });
}

}  // namespace

Configuration point(StudyHandle& handle, const Numbers& numbers) {
  return handle.call([&](const auto& engine) { return engine.space().configuration(numbers); });
}

std::map<std::string, double> metrics_of(const nb::dict& metrics) {
  std::map<std::string, double> all;
  for (const auto [name, value] : metrics) all[to_text(nb::str(name))] = nb::cast<double>(value);
  return all;
}

void bind_calls(nb::class_<StudyHandle>& study) {
  study
      .def("ask",
           [](StudyHandle& handle, std::optional<std::size_t> count) {
             return records_of(handle.call([&](auto& engine) { return count ? engine.ask(*count) : engine.ask(); }));
           })
      .def("tell",
           [](StudyHandle& handle, std::uint64_t id, double objective, double cost) {
             handle.call([&](auto& engine) { engine.tell(id, Evaluation{objective, cost}); });
           })
      .def("tell_with_notes",
           [](StudyHandle& handle, std::uint64_t id, double objective, double cost, const nb::dict& metrics,
              std::optional<double> started, std::optional<double> ended) {
             tell_one(handle, {id, objective, cost, "", false, notes_of(metrics_of(metrics), started, ended)});
           })
      .def("tell_all", tell_all)
      .def("tell_point", tell_point)
      .def("tell_prior",
           [](StudyHandle& handle, const Numbers& numbers, double objective) {
             const Configuration at = point(handle, numbers);
             handle.call([&](auto& engine) { engine.tell_prior(at, objective); });
           })
      .def("fail",
           [](StudyHandle& handle, std::uint64_t id, double cost, nb::str reason, bool timed_out,
              const nb::dict& metrics, std::optional<double> started, std::optional<double> ended) {
             tell_one(handle, {id, std::nullopt, cost, to_text(reason), timed_out,
                               notes_of(metrics_of(metrics), started, ended)});
           })
      .def("begin_all",
           [](StudyHandle& handle, const nb::list& records) {
             std::vector<std::pair<std::uint64_t, std::string>> all;
             for (const nb::handle record : records) {
               const auto pair = nb::cast<nb::tuple>(record);
               all.emplace_back(nb::cast<std::uint64_t>(pair[0]), to_text(nb::cast<nb::str>(pair[1])));
             }
             handle.file_call("begin_all", [&](carbo::Study& file) {
               change_pending(file, all, [&](const auto& each) { file.begin(each.first, each.second); });
             });
           })
      .def("withdraw",
           [](StudyHandle& handle, std::uint64_t id) { handle.call([&](auto& engine) { engine.withdraw(id); }); })
      .def("adopt",
           [](StudyHandle& handle, const Numbers& numbers) {
             const Configuration at = point(handle, numbers);
             return handle.call([&](auto& engine) { return engine.adopt(at); });
           })
      .def("enqueue",
           [](StudyHandle& handle, const Numbers& numbers) {
             const Configuration at = point(handle, numbers);
             handle.call([&](auto& engine) { engine.enqueue(at); });
           })
      .def("dequeue",
           [](StudyHandle& handle, const Numbers& numbers) {
             const Configuration at = point(handle, numbers);
             return handle.call([&](auto& engine) { return engine.dequeue(at); });
           })
      .def("enqueued", [](StudyHandle& handle) {
        nb::list all;
        for (const Configuration& each : handle.call([](const auto& engine) { return engine.enqueued(); }))
          all.append(to_tuple(each.numbers()));
        return all;
      });
}

}  // namespace carbo::python
