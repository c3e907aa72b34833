#include "bench/backends/arguments.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include <carbo/error.hpp>

#include "support/text.hpp"

namespace carbo::bench {

const char* const usage =
    "bench_backends: the same jobs on the CPU and on a CUDA device, beside the limits of the machine.\n"
    "\n"
    "  --grid small|default|large   sizes (default)\n"
    "  --n, --m, --d, --b, --fantasies LIST   sizes of one's own, such as 100,1000 or 1e4,1e5\n"
    "  --jobs LIST      of fit, dense, pick, batch, append, design, suggest (all)\n"
    "  --batched        batches with hyperparameters of its own for each fantasy too\n"
    "  --backend cpu|cuda|both      both: cuda where a device can be used (both)\n"
    "  --repeats N      timed runs of each case at least (5)\n"
    "  --limit-size N   rows of the square matrices whose product is a device's limit; small where the device is\n"
    "                   emulated (4096)\n"
    "  --card CARD      card of the model, beside a device too; may be repeated (without a device: all that are "
    "known):\n"
    "                   a name, or name=X,flops=F,float32=F,bandwidth=B,link=B,launch=S,wait=S,multiprocessors=N,"
    "row=S\n"
    "                   in flop/s, B/s and seconds\n"
    "  --out DIR        writes results.json, results.csv and results.svg there\n"
    "\n"
    "  --compare OLD.json NEW.json  compares two results; status 1 where something became slower or is not there\n"
    "  --threshold X    change of a median that may be flagged, as a share (0.05)\n"
    "  --help\n";

namespace {

using internal::text;

constexpr std::size_t most_columns = 100;       // that a space has
constexpr double most_candidates = 4294967295;  // that Sobol points are numbered by
constexpr std::size_t most_limit_size = 32768;  // 24 GiB of operands

double number(const std::string& option, const std::string& value) {
  double result = 0;
  const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), result);
  if (status != std::errc{} || end != value.data() + value.size() || !std::isfinite(result))
    throw std::invalid_argument(text(option, " takes numbers, not '", value, "'"));
  return result;
}

std::size_t whole(const std::string& option, const std::string& value) {
  const double result = number(option, value);
  if (!(result >= 1 && result <= most_candidates && result == std::floor(result)))
    throw std::invalid_argument(text(option, " takes whole numbers from 1 to 2^32 - 1, not '", value, "'"));
  return static_cast<std::size_t>(result);
}

std::vector<std::string> split(const std::string& option, const std::string& list) {
  std::vector<std::string> parts(1);
  for (const char c : list) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (std::find(parts.begin(), parts.end(), "") != parts.end())
    throw std::invalid_argument(text(option, " takes a list without gaps, not '", list, "'"));
  return parts;
}

std::vector<std::size_t> sizes(const std::string& option, const std::string& list, std::size_t most) {
  std::vector<std::size_t> result;
  for (const std::string& part : split(option, list)) result.push_back(whole(option, part));
  if (const auto highest = *std::max_element(result.begin(), result.end()); highest > most)
    throw std::invalid_argument(text(option, " is at most ", most, ", not ", highest));
  return result;
}

std::size_t limit_size(const std::string& value) {
  const std::size_t result = whole("--limit-size", value);
  if (result > most_limit_size)
    throw std::invalid_argument(text("--limit-size is at most ", most_limit_size, ", not ", result));
  return result;
}

std::vector<Job> jobs(const std::string& list) {
  std::vector<Job> result;
  for (const std::string& part : split("--jobs", list)) result.push_back(job_by_name(part));
  return result;
}

/// "name=X,flops=F,…": all nine.
Card own_card(const std::string& description) {
  Card card;
  card.source = "given on the command line";
  const std::map<std::string, double*> figures = {{"flops", &card.flops},
                                                  {"float32", &card.float32_flops},
                                                  {"bandwidth", &card.bandwidth},
                                                  {"link", &card.link},
                                                  {"launch", &card.launch_seconds},
                                                  {"wait", &card.wait_seconds},
                                                  {"multiprocessors", &card.multiprocessors},
                                                  {"row", &card.row_seconds}};
  for (const std::string& part : split("--card", description)) {
    const std::size_t equals = part.find('=');
    const std::string key = part.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : part.substr(equals + 1);
    if (key == "name" && !value.empty()) {
      card.name = value;
      continue;
    }
    const auto figure = figures.find(key);
    if (figure == figures.end()) throw std::invalid_argument(text("--card does not know '", part, "'"));
    if (*figure->second > 0) throw std::invalid_argument(text("--card has ", key, " twice in '", description, "'"));
    *figure->second = number("--card " + key, value);
    if (!(*figure->second > 0)) throw std::invalid_argument(text("--card ", key, " must be above 0, not ", value));
  }
  if (card.name.empty()) throw std::invalid_argument(text("--card needs name in '", description, "'"));
  for (const auto& [key, figure] : figures)
    if (*figure == 0) throw std::invalid_argument(text("--card needs ", key, " in '", description, "'"));
  return card;
}

void add_card(Arguments& arguments, const std::string& description) {
  const Card card = description.find('=') == std::string::npos ? card_by_name(description) : own_card(description);
  for (const Card& other : arguments.cards)
    if (other.name == card.name) throw std::invalid_argument(text("--card names ", card.name, " twice"));
  arguments.cards.push_back(card);
}

std::filesystem::path folder(const std::string& name) {
  if (name.empty()) throw std::invalid_argument("--out needs a folder, not an empty name");
  return name;
}

void set_backend(Arguments& arguments, const std::string& value) {
  if (value != "cpu" && value != "cuda" && value != "both")
    throw std::invalid_argument(text("--backend is cpu, cuda or both, not '", value, "'"));
  arguments.cpu = value != "cuda";
  arguments.cuda = value != "cpu";
  arguments.cuda_required = value == "cuda";
}

constexpr std::array options_with_value{"--n",          "--m",    "--d",       "--b",
                                        "--fantasies",  "--jobs", "--backend", "--repeats",
                                        "--limit-size", "--card", "--out",     "--threshold"};

/// One of the options with a value.
void set(Arguments& arguments, const std::string& option, const std::string& value) {
  constexpr std::size_t any = std::numeric_limits<std::size_t>::max();
  if (option == "--n")
    arguments.grid.n = sizes(option, value, any);
  else if (option == "--m")
    arguments.grid.m = sizes(option, value, any);
  else if (option == "--d")
    arguments.grid.d = sizes(option, value, most_columns);
  else if (option == "--b")
    arguments.grid.b = sizes(option, value, any);
  else if (option == "--fantasies")
    arguments.grid.fantasies = sizes(option, value, any);
  else if (option == "--jobs")
    arguments.jobs = jobs(value);
  else if (option == "--backend")
    set_backend(arguments, value);
  else if (option == "--repeats")
    arguments.repeats = whole(option, value);
  else if (option == "--limit-size")
    arguments.limit_size = limit_size(value);
  else if (option == "--card")
    add_card(arguments, value);
  else if (option == "--out")
    arguments.out = folder(value);
  else
    arguments.threshold = number(option, value);
}

}  // namespace

Grid grid_by_name(const std::string& name) {
  if (name == "small") return {{50}, {1000, 2000}, {6}, {4}, {10}};
  if (name == "default") return {{100, 1000}, {1000, 10000, 100000}, {6}, {16}, {10}};
  if (name == "large") return {{100, 500, 2000}, {10000, 100000, 1000000}, {6, 20}, {64}, {10}};
  throw std::invalid_argument(text("--grid is small, default or large, not '", name, "'"));
}

Arguments parse_arguments(const std::vector<std::string>& arguments) {
  Arguments result;
  // The named grid comes first, so that sizes of one's own replace its own wherever they stand.
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i)
    if (arguments[i] == "--grid") result.grid = grid_by_name(arguments[i + 1]);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& option = arguments[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 >= arguments.size()) throw std::invalid_argument(option + " needs a value");
      return arguments[++i];
    };
    try {
      if (option == "--help")
        result.help = true;
      else if (option == "--batched")
        result.batched = true;
      else if (option == "--grid")
        grid_by_name(value());
      else if (option == "--compare") {
        const std::string earlier = value();
        result.compare = {earlier, value()};
      } else if (std::find(options_with_value.begin(), options_with_value.end(), option) != options_with_value.end())
        set(result, option, value());
      else
        throw std::invalid_argument(text("unknown argument '", option, "'; --help prints what there is"));
    } catch (const InvalidOptions& error) {
      throw std::invalid_argument(text(option, ": ", error.what()));
    }
  }
  if (!(result.threshold > 0 && result.threshold < 1))
    throw std::invalid_argument(text("--threshold is a share between 0 and 1, not ", result.threshold));
  return result;
}

std::string why_impossible(const Case& c) {
  constexpr std::size_t least_observations = 5;
  if ((c.job == Job::batch || c.job == Job::suggest) && c.sizes.b > c.sizes.m)
    return text("b = ", c.sizes.b, " points do not fit into m = ", c.sizes.m, " candidates");
  if (c.job == Job::suggest && c.sizes.n < least_observations)
    return text("models need ", least_observations, " observations at least, not n = ", c.sizes.n);
  return "";
}

std::vector<Case> cases_of(const Arguments& arguments) {
  std::vector<Case> cases;
  const auto add = [&](Case c) {
    c.sizes.batched = c.variant == "batched";
    c.sizes = relevant(c.job, c.sizes);
    if (std::find(cases.begin(), cases.end(), c) == cases.end()) cases.push_back(c);
  };
  const Grid& grid = arguments.grid;
  for (const Job job : arguments.jobs)
    for (const std::string& variant : variants_of(job, arguments.batched))
      for (const std::size_t d : grid.d)
        for (const std::size_t n : grid.n)
          for (const std::size_t m : grid.m)
            for (const std::size_t b : grid.b)
              for (const std::size_t fantasies : grid.fantasies)
                add({job, variant, {.n = n, .m = m, .d = d, .b = b, .fantasies = fantasies}});
  return cases;
}

}  // namespace carbo::bench
