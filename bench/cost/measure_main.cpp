#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/cost/dataset.hpp"
#include "bench/cost/mlp.hpp"
#include "bench/cost/timings.hpp"
#include "replay/csv.hpp"
#include "replay/statistics.hpp"
#include "space/candidates.hpp"

namespace {

using namespace carbo::cost_bench;

constexpr const char* usage =
    "carbo_measure_mlp DATA_FOLDER SET OUT.csv [CONFIGURATIONS [EPOCHS [SEED]]]\n"
    "\n"
    "Trains perceptrons of random sizes on DATA_FOLDER/SET (LIBSVM text), validates them on up to 10,000 rows,\n"
    "evenly spaced, of DATA_FOLDER/SET.t, and writes a row a training. Uses one thread.\n";

constexpr std::size_t validation_rows = 10000;
constexpr std::size_t warm_up = 20;  ///< trainings before the first that counts

struct Arguments {
  std::string folder, set, out;
  std::size_t configurations = table_rows, epochs = 20;
  std::uint64_t seed = 1;
};

/// Four significant digits: what is stored is what was trained.
double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return std::strtod(text, nullptr);
}

std::string five_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.5g", value);
  return text;
}

Training training_of(std::span<const double> numbers, const Arguments& arguments, std::uint64_t draw) {
  Training training{.learning_rate = numbers[hidden_layers],
                    .weight_decay = numbers[hidden_layers + 1],
                    .epochs = arguments.epochs,
                    .seed = (arguments.seed << 32) + draw};
  for (std::size_t i = 0; i < hidden_layers; ++i) training.units.push_back(static_cast<std::size_t>(numbers[i]));
  return training;
}

void measure(const Arguments& arguments) {
  const DataSource& source = data_source(arguments.set);
  Dataset training = read_libsvm(arguments.folder + '/' + source.name, source.features);
  Dataset validation =
      spread_rows(read_libsvm(arguments.folder + '/' + source.name + ".t", source.features), validation_rows);
  scale_features(training, validation);

  std::ofstream out(arguments.out, std::ios::binary | std::ios::trunc);
  out << carbo::replay::csv_line(timing_header()) << '\n';
  std::vector<double> errors, seconds;
  for (std::size_t i = 0; i < arguments.configurations + warm_up; ++i) {
    auto numbers = *carbo::internal::uniform_draw(mlp_space(), arguments.seed, i);
    for (std::size_t p = hidden_layers; p < numbers.size(); ++p) numbers[p] = rounded(numbers[p]);
    const Trained trained = train(training, validation, training_of(numbers, arguments, i));
    if (i < warm_up) continue;
    carbo::replay::CsvRow row;
    for (const double number : numbers) row.push_back(carbo::replay::exact(number));
    row.insert(row.end(), {five_digits(trained.error), five_digits(trained.seconds)});
    out << carbo::replay::csv_line(row) << std::endl;
    errors.push_back(trained.error);
    seconds.push_back(trained.seconds);
  }
  if (!out) throw std::runtime_error("cannot write " + arguments.out);
  std::printf("%s: %zu rows, %zu validation rows, %zu epochs; %.4g s a training (%.4g to %.4g), error %.4g to %.4g\n",
              source.name.c_str(), training.rows(), validation.rows(), arguments.epochs, carbo::replay::mean(seconds),
              carbo::replay::quantile(seconds, 0), carbo::replay::quantile(seconds, 1),
              carbo::replay::quantile(errors, 0), carbo::replay::quantile(errors, 1));
}

std::size_t positive(const std::string& text) {
  const double number = carbo::replay::to_double(text);
  if (!(number >= 1 && number <= 1e9)) throw std::invalid_argument("'" + text + "' is not a whole number above 0");
  return static_cast<std::size_t>(number);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 3 || words.size() > 6) {
    std::fputs(usage, stderr);
    return 2;
  }
  try {
    Arguments arguments{.folder = words[0], .set = words[1], .out = words[2]};
    if (words.size() > 3) arguments.configurations = positive(words[3]);
    if (words.size() > 4) arguments.epochs = positive(words[4]);
    if (words.size() > 5) arguments.seed = positive(words[5]);
    measure(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "carbo_measure_mlp: %s\n", error.what());
    return 1;
  }
}
