#include "arguments.hpp"

#include <charconv>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include "sensor_data.hpp"

namespace xz_tuning {
namespace {

[[noreturn]] void reject(std::string_view option, std::string_view text, const char* expected) {
  throw std::invalid_argument(std::string(option) + " takes " + expected + ", not '" + std::string(text) + "'");
}

/// Reads a number from the front of `text` and removes it; false where there is none.
template <typename Number>
bool take_number(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

double parse_budget(std::string_view text) {
  std::string_view rest = text;
  double seconds = 0;
  if (!take_number(rest, seconds) || !rest.empty() || !std::isfinite(seconds) || seconds <= 0) {
    reject("--budget", text, "CPU seconds above 0");
  }
  return seconds;
}

std::uint64_t parse_count(std::string_view option, std::string_view text, std::uint64_t lower, std::uint64_t upper,
                          const char* expected) {
  std::string_view rest = text;
  std::uint64_t count = 0;
  if (!take_number(rest, count) || !rest.empty() || count < lower || count > upper) reject(option, text, expected);
  return count;
}

std::size_t parse_size(std::string_view text) {
  constexpr const char* expected = "a number of bytes from 16KiB to 256MiB, such as 512KiB or 2MiB";
  std::string_view rest = text;
  std::uint64_t bytes = 0;
  if (!take_number(rest, bytes) || bytes > (256u << 20)) reject("--size", text, expected);
  if (rest == "KiB") {
    bytes <<= 10;
  } else if (rest == "MiB") {
    bytes <<= 20;
  } else if (!rest.empty()) {
    reject("--size", text, expected);
  }
  if (bytes < (16u << 10) || bytes > (256u << 20)) reject("--size", text, expected);
  return bytes / record_bytes * record_bytes;
}

}  // namespace

Arguments parse_arguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--help" || option == "-h") {
      arguments.help = true;
      continue;
    }
    if (option == "--verbose" || option == "-v") {
      arguments.verbose = true;
      continue;
    }
    const bool known = option == "--budget" || option == "--seed" || option == "--workers" || option == "--size";
    if (!known) throw std::invalid_argument("unknown option '" + std::string(option) + "'");
    if (i + 1 == argc) throw std::invalid_argument(std::string(option) + " needs a value");
    const std::string_view value = argv[++i];
    if (option == "--budget") {
      arguments.budget = parse_budget(value);
    } else if (option == "--seed") {
      arguments.seed = parse_count(option, value, 0, UINT64_MAX, "a whole number, 0 or above");
    } else if (option == "--workers") {
      arguments.workers = parse_count(option, value, 1, 1024, "a whole number from 1 to 1024");
    } else {
      arguments.size = parse_size(value);
    }
  }
  return arguments;
}

std::string usage() {
  return "Tunes the settings of xz on generated sensor records, within a budget of CPU time.\n"
         "\n"
         "  --budget SECONDS  CPU seconds that all runs of xz may use together (60)\n"
         "  --workers COUNT   runs of xz at the same time (2)\n"
         "  --size BYTES      amount of data, with KiB or MiB if wanted (2MiB)\n"
         "  --seed NUMBER     seed of the search (7)\n"
         "  --verbose         list every suggestion with its receipt\n"
         "  --help            this text\n";
}

}  // namespace xz_tuning
