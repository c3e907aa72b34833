#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include "program/commands/commands.hpp"
#include "program/commands/opening.hpp"
#include "program/commands/records.hpp"
#include "program/support/files.hpp"

namespace carbo::program {
namespace {

std::vector<Configuration> asked_about(const PredictArguments& arguments, const Space& space) {
  if (arguments.from.empty()) return {configuration_of(space, arguments.values)};
  const std::string text = arguments.from == "-" ? std::string(std::istreambuf_iterator<char>(std::cin), {})
                                                 : read_whole_file(arguments.from);
  std::vector<Configuration> all;
  for (const NamedRecord& each : records_of(text, arguments.from)) {
    try {
      all.push_back(configuration_of(space, each.json));
    } catch (const InvalidConfiguration& error) {
      throw InvalidConfiguration(fmt::format("{}: {}", each.name, error.what()));
    }
  }
  return all;
}

}  // namespace

Exit predict(Terminal& terminal, const PredictArguments& arguments) {
  OpenedStudy opened = opened_to_change(terminal, arguments.which);
  Study& study = opened.study;
  const std::vector<Configuration> asked = asked_about(arguments, study.space());
  const std::vector<Prediction> predictions = study.predict(asked, arguments.coverage);
  if (terminal.json) {
    Json json = Json::array();
    for (std::size_t i = 0; i < asked.size(); ++i) {
      Json one = json_of(predictions[i]);
      one["configuration"] = json_of(asked[i]);
      json.push_back(std::move(one));
    }
    terminal.out << json_page(json) << "\n";
    return Exit::success;
  }
  const std::string interval = fmt::format("{:g} % interval", 100 * arguments.coverage);
  TextTable table({"objective", interval, fmt::format("cost ({})", study.options().cost.unit), "configuration"});
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto& objective = predictions[i].objective;
    const auto& cost = predictions[i].cost;
    table.add(
        {objective ? short_number(objective->median) : "–",
         objective ? fmt::format("{} to {}", short_number(objective->lower), short_number(objective->upper)) : "–",
         cost ? short_number(cost->median) : "–", printable(asked[i].to_string())});
  }
  terminal.out << table.text(terminal);
  return Exit::success;
}

Exit importance(Terminal& terminal, const ImportanceArguments& arguments) {
  const bool of_cost = arguments.of == "cost";
  if (!of_cost && arguments.of != "objective")
    throw InvalidOptions(fmt::format("--of is '{}'; give objective or cost", arguments.of));
  OpenedStudy opened = opened_to_change(terminal, arguments.which);
  const auto shares = opened.study.importance(of_cost ? Modelled::cost : Modelled::objective);
  if (terminal.json) {
    terminal.out << json_page(shares ? json_of(*shares) : Json(nullptr)) << "\n";
    return shares ? Exit::success : Exit::failure;
  }
  if (!shares) {
    terminal.err << "carbo: the model has learned nothing yet\n";
    return Exit::failure;
  }
  std::vector<ParameterImportance> all = shares->parameters;
  std::ranges::stable_sort(all, std::greater<>{}, &ParameterImportance::total);
  TextTable table({"share", "alone", "±", "parameter", ""});
  for (const ParameterImportance& each : all)
    table.add({fmt::format("{:.1f} %", 100 * each.total), fmt::format("{:.1f} %", 100 * each.first_order),
               fmt::format("{:.1f} %", 100 * each.total_spread), printable(each.name), bar_text(each.total, 30)});
  terminal.out << table.text(terminal);
  return Exit::success;
}

}  // namespace carbo::program
