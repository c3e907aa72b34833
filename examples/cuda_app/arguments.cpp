#include "arguments.hpp"

#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace {

std::uint64_t whole_number(std::string_view option, std::string_view text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stopped != end || number < least || number > most) {
    throw std::invalid_argument(std::string(option) + " takes a whole number from " + std::to_string(least) + " to " +
                                std::to_string(most) + ", not '" + std::string(text) + "'");
  }
  return number;
}

}  // namespace

const char* const usage =
    "Sweeps a library of energy harvesters that are simulated on the GPU, within a budget of integration steps:\n"
    "once with EI-cool after a cost-effective design, once with EI, and prints what the first one saved.\n"
    "\n"
    "  --candidates COUNT  size of the library (1000000)\n"
    "  --batch COUNT       simulations at a time (64)\n"
    "  --budget STEPS      integration steps of all simulations of one search (2000000)\n"
    "  --seed NUMBER       seed of the search (1)\n"
    "  --trace             write to stderr where the application waits for the device\n"
    "  --help              this text\n";

Arguments parse_arguments(int count, char** values) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string_view option = values[i];
    if (option == "--help" || option == "--trace") {
      (option == "--help" ? arguments.help : arguments.trace) = true;
      continue;
    }
    const auto value = [&](std::uint64_t least, std::uint64_t most) {
      if (i + 1 == count) throw std::invalid_argument(std::string(option) + " needs a value");
      return whole_number(option, values[++i], least, most);
    };
    if (option == "--candidates") {
      arguments.candidates = value(1000, 1'000'000'000);
    } else if (option == "--batch") {
      arguments.batch = value(1, 1024);
    } else if (option == "--budget") {
      arguments.budget = static_cast<double>(value(1, 1'000'000'000'000));
    } else if (option == "--seed") {
      arguments.seed = value(0, UINT64_MAX);
    } else {
      throw std::invalid_argument("unknown option '" + std::string(option) + "'");
    }
  }
  return arguments;
}
