#include "xz.hpp"

#include <algorithm>
#include <string_view>

#include "process.hpp"
#include "scratch.hpp"

namespace resumed_tuning {
namespace {

constexpr double shortest_cpu_seconds = 1e-4;  // a cost must be above 0, and the clock is coarse

std::vector<std::string> command(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "xz");
  return arguments;
}

std::string failure(const ProcessResult& result) {
  if (result.exit_code == 0) return {};
  const std::string message = result.error_output.substr(0, result.error_output.find('\n'));
  return "exit status " + std::to_string(result.exit_code) + (message.empty() ? "" : ": " + message);
}

std::string quoted(const std::string& word) {
  constexpr std::string_view harmless = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=,./:+@%";
  if (!word.empty() && word.find_first_not_of(harmless) == std::string::npos) return word;
  std::string text = "'";
  for (const char character : word) text += character == '\'' ? std::string("'\\''") : std::string(1, character);
  return text + "'";
}

}  // namespace

carbo::Space search_space() {
  std::vector<double> dictionaries;
  for (int exponent = 16; exponent <= 22; ++exponent) dictionaries.push_back(static_cast<double>(1 << exponent));
  carbo::Space space{
      carbo::categorical("delta", {"none", "1", "2", "4", "8", "16", "32"}),
      carbo::discrete("dict", dictionaries),
      carbo::integer("lc", 0, 4),
      carbo::integer("lp", 0, 4),
      carbo::integer("pb", 0, 4),
      carbo::categorical("mode", {"fast", "normal"}),
      carbo::integer("nice", 4, 273).log(),
      carbo::categorical("mf", {"hc3", "hc4", "bt2", "bt3", "bt4"}),
      carbo::integer("depth", 1, 256).log(),
  };
  space.constrain([](const carbo::Configuration& x) { return x.integer("lc") + x.integer("lp") <= 4; },
                  "lc + lp <= 4");
  return space;
}

std::vector<std::string> filter_arguments(const carbo::Configuration& configuration) {
  std::vector<std::string> arguments{"-T1"};
  if (configuration.category("delta") != "none") {
    arguments.push_back("--delta=dist=" + configuration.category("delta"));
  }
  const auto number = [&](const char* name) { return std::to_string(configuration.integer(name)); };
  arguments.push_back("--lzma2=dict=" + std::to_string(configuration.integer("dict") / 1024) +
                      "KiB,lc=" + number("lc") + ",lp=" + number("lp") + ",pb=" + number("pb") +
                      ",mode=" + configuration.category("mode") + ",nice=" + number("nice") +
                      ",mf=" + configuration.category("mf") + ",depth=" + number("depth"));
  return arguments;
}

Compression compress(const std::vector<std::string>& arguments, const std::string& file) {
  const ProcessResult result = run_process(command(arguments), file);
  return {result.output_bytes, std::max(result.cpu_seconds, shortest_cpu_seconds), failure(result)};
}

std::string verify(const std::vector<std::string>& arguments, const std::string& file, const std::string& data) {
  std::string compressed;
  const ProcessResult packed =
      run_process(command(arguments), file, [&](std::string_view piece) { compressed += piece; });
  if (packed.exit_code != 0) return "compressing: " + failure(packed);

  const ScratchFile archive("carbo_resumed_tuning.xz", compressed);
  std::string restored;
  const ProcessResult unpacked =
      run_process(command({"-d", "-c"}), archive.path(), [&](std::string_view piece) { restored += piece; });
  if (unpacked.exit_code != 0) return "decompressing: " + failure(unpacked);
  return restored == data ? std::string{} : "the decompressed data differ from the original";
}

std::string shell_command(const std::vector<std::string>& arguments, const std::string& file,
                          const std::string& output) {
  std::string text = "xz";
  for (const std::string& argument : arguments) text += " " + quoted(argument);
  return text + " < " + quoted(file) + " > " + quoted(output);
}

}  // namespace resumed_tuning
