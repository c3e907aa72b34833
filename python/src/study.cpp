#include <carbo/study.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <carbo/json.hpp>

#include "engine/given_code.hpp"
#include "engine/validate_options.hpp"
#include "module.hpp"
#include "named.hpp"
#include "options.hpp"
#include "python_tree.hpp"
#include "records.hpp"
#include "study_calls.hpp"
#include "support/text.hpp"
#include "support/tree_reader.hpp"

namespace carbo::python {
namespace {

using internal::Tree;
using internal::TreeReader;

StudyOptions study_options(nb::handle settings, const RestoreOptions& given) {
  const Tree tree = to_tree(settings, "");
  StudyOptions how;
  how.given = given;
  double lease = 0.001 * static_cast<double>(how.lease.count());
  double busy_wait = 0.001 * static_cast<double>(how.busy_wait.count());
  try {
    const TreeReader reader(tree);
    reader.read("durability", how.durability);
    reader.read("owner", how.owner);
    reader.read("lease", lease);
    reader.read("lost", how.lost);
    reader.read("busy_wait", busy_wait);
    reader.read("network", how.network);
  } catch (const InvalidState& error) {
    throw InvalidOptions(error.what());
  }
  refuse_unread_settings(tree,
                         std::vector<std::string>{"durability", "owner", "lease", "lost", "busy_wait", "network"});
  const auto milliseconds = [](double seconds, const char* name) {
    if (!(seconds >= 0 && seconds <= 1e9))
      throw InvalidOptions(internal::text(name, " is ", seconds, " s; give 0 to 1e9 seconds"));
    return std::chrono::milliseconds(std::llround(seconds * 1000));
  };
  how.lease = milliseconds(lease, "lease");
  how.busy_wait = milliseconds(busy_wait, "busy_wait");
  return how;
}

nb::list trial_records(StudyHandle& handle) {
  if (handle.has_file()) {
    return records_of(handle.file_call("trials", [](const carbo::Study& study) { return study.trials(); }));
  }
  std::vector<Observation> told;
  const std::vector<Suggestion> running = handle.call([&](const auto& engine) {
    if constexpr (in_memory<std::decay_t<decltype(engine)>>) {
      const auto all = engine.observations();
      told.assign(all.begin(), all.end());
    }
    return engine.pending_suggestions();
  });
  nb::list all;
  for (const Observation& each : told) all.append(record_of(each, nb::len(all)));
  for (const Suggestion& each : running) all.append(running_record(each, nb::len(all)));
  return all;
}

nb::object best_record(StudyHandle& handle) {
  if (handle.has_file())
    return record_of(handle.file_call("best", [](const carbo::Study& study) { return study.best(); }));
  std::optional<Observation> best;
  std::size_t number = 0;
  handle.call([&](const auto& engine) {
    if constexpr (in_memory<std::decay_t<decltype(engine)>>) {
      best = engine.best();
      if (!best) return;
      const auto all = engine.observations();
      // The first success with the best objective, which is what best() returns.
      for (number = 0; number < all.size(); ++number)
        if (all[number].status == ObservationStatus::succeeded && all[number].objective == best->objective &&
            all[number].configuration == best->configuration)
          return;
    }
  });
  if (!best) return nb::none();
  return record_of(*best, number);
}

void bind_questions(nb::class_<StudyHandle>& study) {
  study
      .def("predict",
           [](StudyHandle& handle, const std::vector<Numbers>& rows, double coverage) {
             std::vector<Configuration> points;
             for (const Numbers& numbers : rows) points.push_back(point(handle, numbers));
             return records_of(handle.call([&](auto& engine) { return engine.predict(points, coverage); }));
           })
      .def(
          "recommend",
          [](StudyHandle& handle) { return record_of(handle.call([](auto& engine) { return engine.recommend(); })); })
      .def("importance",
           [](StudyHandle& handle, nb::str model, std::size_t points, std::size_t sequences) {
             const auto which = named<Modelled>(model, "model");
             return record_of(handle.call([&](auto& engine) {
               return engine.importance(which, {points, sequences});
             }));
           })
      .def("hyperparameters",
           [](StudyHandle& handle) {
             return record_of(handle.call([](auto& engine) { return engine.hyperparameters(); }));
           })
      .def("rank",
           [](StudyHandle& handle, std::size_t count) {
             return records_of(handle.call([&](auto& engine) { return engine.rank(count); }));
           })
      .def("save",
           [](StudyHandle& handle) { return to_python(handle.call([](auto& engine) { return engine.save(); })); })
      .def("warnings",
           [](StudyHandle& handle) {
             nb::list all;
             for (const std::string& each : handle.call([](auto& engine) { return engine.warnings(); }))
               all.append(to_python(each));
             return all;
           })
      .def("trials", trial_records)
      .def("best", best_record)
      .def("pending",
           [](StudyHandle& handle) {
             return records_of(handle.call([](const auto& engine) { return engine.pending_suggestions(); }));
           })
      .def("spent",
           [](StudyHandle& handle) { return handle.call([](const auto& engine) { return engine.spent(); }); })
      .def("stop_reason",
           [](StudyHandle& handle) {
             return to_string(handle.call([](const auto& engine) { return engine.stop_reason(); }));
           })
      .def("accounting",
           [](StudyHandle& handle) {
             return to_string(
                 handle.call([](const auto& engine) { return internal::resolved_accounting(engine.options()); }));
           })
      .def("space",
           [](StudyHandle& handle) { return handle.call([](const auto& engine) { return engine.space(); }); })
      .def("options",
           [](StudyHandle& handle) { return handle.call([](const auto& engine) { return engine.options(); }); })
      .def("memory_plan", [](StudyHandle& handle) -> nb::object {
        std::optional<MemoryPlan> plan;
        handle.call([&](const auto& engine) {
          if constexpr (in_memory<std::decay_t<decltype(engine)>>) plan = engine.memory_plan();
        });
        return record_of(plan);
      });
}

void bind_file(nb::class_<StudyHandle>& study) {
  study
      .def("begin",
           [](StudyHandle& handle, std::uint64_t id, nb::str worker) {
             const std::string name = to_text(worker);
             handle.file_call("begin", [&](carbo::Study& file) { file.begin(id, name); });
           })
      .def("renew",
           [](StudyHandle& handle, const std::vector<std::uint64_t>& ids) {
             handle.file_call("renew", [&](carbo::Study& file) { file.renew(ids); });
           })
      .def("release",
           [](StudyHandle& handle, const std::vector<std::uint64_t>& ids) {
             handle.file_call("release", [&](carbo::Study& file) { file.release(ids); });
           })
      .def("report",
           [](StudyHandle& handle, std::uint64_t id, double step, const nb::dict& values) {
             const Report report{.step = step, .values = metrics_of(values)};
             handle.file_call("report", [&](carbo::Study& file) { file.report(id, report); });
           })
      .def("receipt",
           [](StudyHandle& handle, std::uint64_t id) -> nb::object {
             const auto receipt =
                 handle.file_call("receipt", [&](const carbo::Study& file) { return file.receipt(id); });
             if (!receipt) return nb::none();
             return to_python(internal::parse_tree(to_json(*receipt)));
           })
      .def("set_attribute",
           [](StudyHandle& handle, nb::str key, nb::str value) {
             handle.file_call("set_attribute", [name = to_text(key), words = to_text(value)](carbo::Study& file) {
               file.set_attribute(name, words);
             });
           })
      .def("attribute",
           [](StudyHandle& handle, nb::str key) -> nb::object {
             const std::optional<std::string> found = handle.file_call(
                 "attribute", [name = to_text(key)](const carbo::Study& file) { return file.attribute(name); });
             if (!found) return nb::none();
             return to_python(*found);
           })
      .def("pending_trials",
           [](StudyHandle& handle) {
             return records_of(
                 handle.file_call("pending_trials", [](const carbo::Study& file) { return file.pending_trials(); }));
           })
      .def("summary",
           [](StudyHandle& handle) {
             return record_of(handle.file_call("summary", [](const carbo::Study& file) { return file.summary(); }));
           })
      .def("name",
           [](StudyHandle& handle) {
             return to_python(handle.file_call("name", [](const carbo::Study& file) { return file.name(); }));
           })
      .def("owner", [](StudyHandle& handle) {
        return to_python(handle.file_call("owner", [](const carbo::Study& file) { return file.owner(); }));
      });
}

/// Code that texts cannot hold, of a space and options.
struct GivenCode {
  RestoreOptions options;
};

template <class Make>
StudyHandle* made(const Make& make) {
  return new StudyHandle([&] {
    const nb::gil_scoped_release free;
    return make();
  }());
}

}  // namespace

void bind_study(nb::module_& module) {
  nb::class_<GivenCode>(module, "GivenCode").def(nb::init<>());
  module.def("code_of", [](const Space& space, const Options& options, bool backend) {
    GivenCode code{internal::code_of(space, options)};
    if (!backend) code.options.backend.reset();
    return code;
  });
  nb::class_<StudyHandle> study(module, "Study");
  study.def_prop_ro("has_file", &StudyHandle::has_file).def("close", &StudyHandle::close);
  bind_calls(study);
  bind_questions(study);
  bind_file(study);
  module.def("new_study", [](const Space& space, const Options& options) {
    return made([&] { return Optimizer(space, options); });
  });
  module.def("restore_study", [](nb::str state, const GivenCode& code) {
    return made([&, text = to_text(state)] { return Optimizer::restore(text, code.options); });
  });
  module.def("create_study", [](const std::string& file, nb::str name, const Space& space, const Options& options,
                                nb::object how) {
    const StudyOptions settings = study_options(how, {});
    return made([&, text = to_text(name)] { return carbo::Study::open(file, text, space, options, settings); });
  });
  module.def("open_study", [](const std::string& file, nb::str name, nb::object how, const GivenCode& code) {
    const StudyOptions settings = study_options(how, code.options);
    return made([&, text = to_text(name)] { return carbo::Study::open(file, text, settings); });
  });
  module.def("list_studies", [](const std::string& file) { return records_of(carbo::Study::list(file)); });
  module.def("remove_study",
             [](const std::string& file, nb::str name) { carbo::Study::remove(file, to_text(name)); });
}

}  // namespace carbo::python
