#include "program/file/study_file.hpp"

#include <algorithm>
#include <utility>

#include "engine/validate_options.hpp"
#include "program/file/constraints.hpp"
#include "program/file/evaluation_settings.hpp"
#include "program/file/options.hpp"
#include "program/file/parameters.hpp"
#include "program/file/reading_settings.hpp"
#include "program/file/section.hpp"
#include "program/file/tables.hpp"
#include "program/support/files.hpp"
#include "program/support/nearest.hpp"
#include "space/space_tree.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

using internal::text;

std::vector<std::string> split_key(std::string_view key) {
  std::vector<std::string> parts;
  // Of a parameter the rest is its name, dots included.
  constexpr std::string_view parameters = "parameters.";
  if (key.starts_with(parameters)) return {"parameters", std::string(key.substr(parameters.size()))};
  for (std::size_t begin = 0;;) {
    const std::size_t end = key.find('.', begin);
    parts.emplace_back(key.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

void forget_places(Node& node) {
  node.place = {};
  if (auto* const elements = std::get_if<Node::Array>(&node.value)) {
    for (Node& element : *elements) forget_places(element);
  } else if (auto* const members = std::get_if<Node::Table>(&node.value)) {
    for (Node::Member& member : *members) {
      member.place = {};
      forget_places(member.value);
    }
  }
}

/// As TOML where it is one value of it, as a text otherwise.
Node value_of(const std::string& value) {
  Node node{value, {}};
  try {
    const Document parsed = parse_toml("", "value = " + value);
    const auto& members = *parsed.root.get<Node::Table>();
    if (members.size() == 1 && members[0].value.get<Node::Other>() == nullptr) node = members[0].value;
  } catch (const StudyFileError&) {
  }
  forget_places(node);
  return node;
}

void apply(Node& root, const Setting& setting) {
  Node* node = &root;
  for (const std::string& part : split_key(setting.key)) {
    if (node->get<Node::Table>() == nullptr) *node = {Node::Table{}, {}};
    auto& members = std::get<Node::Table>(node->value);
    auto found = std::ranges::find(members, part, &Node::Member::key);
    if (found == members.end()) found = members.insert(members.end(), {part, {}, {Node::Table{}, {}}});
    found->place = {};
    node = &found->value;
  }
  *node = value_of(setting.value);
}

bool sets_limits(std::span<const Setting> settings) {
  return std::ranges::any_of(
      settings, [](const Setting& each) { return each.key == "budget" || each.key == "max_evaluations"; });
}

Space constrained_space(Section& file, const Node& parameters, RestoreOptions& given) {
  const Document& document = file.document();
  Space space = read_space(document, parameters);
  std::vector<std::string> all;
  file.read("constraints", all);
  const Node* const node = file.find("constraints");
  for (std::size_t i = 0; i < all.size(); ++i) {
    try {
      space.constrain(constraint(space, all[i]), all[i]);
    } catch (const InvalidSpace& error) {
      document.refuse((*node->get<Node::Array>())[i].place, error.what());
    }
  }
  const std::vector<std::string> keys = internal::constraint_keys(all);
  for (std::size_t i = 0; i < keys.size(); ++i) given.constraints.emplace(keys[i], constraint(space, all[i]));
  return space;
}

const Node& required_parameters(Section& file) {
  const Node* const node = file.find("parameters");
  if (node == nullptr) file.refuse_mistyped("parameters");
  if (node == nullptr || (node->get<Node::Table>() != nullptr && node->get<Node::Table>()->empty()))
    file.document().refuse(file.node().place,
                           "there are no parameters; give some, such as [parameters] and level = \"1..19\"");
  return *node;
}

/// A table of values by the names of parameters.
Configuration configuration_of(const Document& document, const Node& node, const Space& space) {
  const auto* const members = node.get<Node::Table>();
  if (members == nullptr) document.refuse(node.place, text("try holds ", kind_of(node), "; give tables, [[try]]"));
  std::vector<std::string> names;
  for (const Parameter& parameter : space.parameters()) names.push_back(parameter.name());
  std::map<std::string, Value> values;
  for (const Node::Member& member : *members) {
    if (std::ranges::find(names, member.key) == names.end())
      document.refuse(member.place,
                      text("no parameter is called '", member.key, "'", suggestion_for(member.key, names)));
    if (const auto* const words = member.value.get<std::string>())
      values.emplace(member.key, *words);
    else if (const bool* const truth = member.value.get<bool>())
      values.emplace(member.key, *truth ? "true" : "false");
    else
      values.emplace(member.key, number_of(document, member.value, member.key));
  }
  try {
    Configuration configuration = space.configuration(values);
    if (const std::string violated = space.violated(configuration); !violated.empty())
      document.refuse(node.place, text(configuration.to_string(), " violates the constraint '", violated, "'"));
    return configuration;
  } catch (const InvalidConfiguration& error) {
    document.refuse(node.place, error.what());
  }
}

std::vector<Configuration> read_tries(Section& file, const Space& space) {
  std::vector<Configuration> tries;
  const Node* const node = file.find("try");
  if (node == nullptr) return tries;
  const auto* const elements = node->get<Node::Array>();
  if (elements == nullptr)
    file.document().refuse(node->place,
                           text("try is ", kind_of(*node), "; give tables, [[try]], with a value a parameter"));
  for (const Node& element : *elements) tries.push_back(configuration_of(file.document(), element, space));
  return tries;
}

std::vector<Observation> read_prior(Section& file, const Space& space, const std::filesystem::path& folder) {
  std::vector<Observation> prior;
  const Node* const node = file.find("prior");
  if (node == nullptr) return prior;
  std::vector<std::string> names;
  if (const auto* const one = node->get<std::string>())
    names = {*one};
  else
    names = texts_of(file.document(), *node, "prior");
  for (const std::string& name : names) {
    try {
      const std::filesystem::path path = folder / name;
      ObservedTable table = read_observations(space, path.string(), read_whole_file(path));
      std::move(table.observations.begin(), table.observations.end(), std::back_inserter(prior));
    } catch (const Error& error) {
      file.document().refuse(node->place, text("prior: ", error.what()));
    }
  }
  return prior;
}

PoolTable read_pool_setting(Section& file, const Space& space, const std::filesystem::path& folder) {
  std::string name;
  file.read("pool", name);
  if (name.empty()) return {};
  try {
    return read_pool_file(space, folder / name);
  } catch (const Error& error) {
    file.document().refuse(file.place("pool"), text("pool: ", error.what()));
  }
}

/// The command, which runs in the folder of the file like all that is named in it, wherever it is called from.
std::optional<Command> command_in(Section& file, const Space& space, const std::filesystem::path& folder) {
  std::optional<Command> command = read_command(file, space);
  if (command) command->directory = (folder / command->directory).string();
  return command;
}

/// Without what the state of a study holds by itself: columns that are short.
RestoreOptions given_again(RestoreOptions given) {
  std::erase_if(given.quantities, [](const auto& named) {
    const auto* const column = std::get_if<Quantity::Column>(&named.second.source());
    return column != nullptr && (*column)->size() <= internal::most_numbers_kept;
  });
  return given;
}

StudyFile read(Document document, const std::filesystem::path& folder, std::string default_name) {
  const Node root = document.root;  // what the sections refer to
  Section file(document, root, "");
  RestoreOptions given;
  const Node& parameters = required_parameters(file);
  const Space space = constrained_space(file, parameters, given);
  const PoolTable pool = read_pool_setting(file, space, folder);
  const Options options = read_options(file, space, pool, given);
  given.pool = pool.pool;
  StudyFile study{.path = {},
                  .folder = folder,
                  .text = {},
                  .name = std::move(default_name),
                  .storage = {},
                  .space = space,
                  .options = options,
                  .how = {},
                  .command = command_in(file, space, folder),
                  .objective = read_reading(file, "objective"),
                  .cost = read_reading(file, "cost"),
                  .run = read_run_settings(file),
                  .prior = read_prior(file, space, folder),
                  .tries = read_tries(file, space),
                  .document = {}};
  study.counts_evaluations = read_budget(file, study.options);
  if (file.find("batch_size") == nullptr) study.options.batch_size = study.run.workers;
  std::string storage;
  file.read("name", study.name);
  file.read("storage", storage);
  if (study.name.empty()) document.refuse(file.place("name"), "name is empty; give the study a name");
  study.storage = storage.empty() ? folder / (study.name + ".db") : folder / storage;
  read_study_settings(file, study.how);
  study.how.given = given_again(std::move(given));
  file.refuse_unread();
  try {
    internal::validated(study.space, study.options);
  } catch (const Error& error) {
    rethrow_with_place(document, error);
  }
  convert_measured(file, study.options.cost.unit, study.cost);
  study.document = std::move(document);
  return study;
}

}  // namespace

StudyFile study_of_settings(const std::string& name, std::span<const Setting> settings) {
  Document document{"command line", {Node::Table{}, {}}};
  for (const Setting& setting : settings) apply(document.root, setting);
  std::string kept = document_text(document.root);
  StudyFile study = read(std::move(document), "", name);
  study.text = std::move(kept);
  study.limits_given = sets_limits(settings);
  return study;
}

StudyFile parse_study_file(const std::string& name, std::string_view text, const std::filesystem::path& folder,
                           std::span<const Setting> settings) {
  Document document = parse_toml(name, text);
  for (const Setting& setting : settings) apply(document.root, setting);
  std::string kept = settings.empty() ? std::string(text) : document_text(document.root);
  StudyFile study = read(std::move(document), folder, std::filesystem::path(name).stem().string());
  study.text = std::move(kept);
  study.limits_given = sets_limits(settings);
  return study;
}

StudyFile read_study_file(const std::filesystem::path& path, std::span<const Setting> settings) {
  StudyFile study = parse_study_file(path.string(), read_whole_file(path), path.parent_path(), settings);
  study.path = path;
  return study;
}

}  // namespace carbo::program
