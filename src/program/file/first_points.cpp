#include "program/file/first_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "replay/csv.hpp"
#include "support/text.hpp"

namespace carbo::program {
namespace {

using internal::text;

constexpr const char* prior_key = "study_file_prior";
constexpr const char* tries_key = "study_file_tries";

std::string key_of(const Configuration& configuration, double objective, double cost) {
  return text(configuration.to_string(), "\n", replay::exact(objective), "\n", replay::exact(cost));
}

/// Of texts in their order; the same on every machine.
class Fingerprint {
 public:
  void add(std::string_view words) {
    for (const char c : words) {
      hash_ ^= static_cast<unsigned char>(c);
      hash_ *= 1099511628211ull;  // FNV-1a
    }
    hash_ *= 1099511628211ull;
  }
  std::string text() const { return std::to_string(hash_); }

 private:
  std::uint64_t hash_ = 14695981039346656037ull;
};

}  // namespace

void tell_prior(Study& study, const StudyFile& file) {
  Fingerprint fingerprint;
  for (const Observation& seen : file.prior) fingerprint.add(key_of(seen.configuration, seen.objective, seen.cost));
  if (study.attribute(prior_key).value_or(Fingerprint().text()) == fingerprint.text()) return;
  constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
  std::map<std::string, std::size_t> there;
  for (const Trial& trial : study.trials())
    if (trial.origin == Origin::prior)
      ++there[key_of(trial.configuration, trial.objective.value_or(not_known), trial.cost.value_or(not_known))];
  for (const Observation& seen : file.prior) {
    auto found = there.find(key_of(seen.configuration, seen.objective, seen.cost));
    if (found != there.end() && found->second > 0) {
      --found->second;
    } else if (std::isnan(seen.cost)) {
      study.tell_prior(seen.configuration, seen.objective);
    } else {
      study.tell(seen);
    }
  }
  study.set_attribute(prior_key, fingerprint.text());
}

void enqueue_tries(Study& study, const StudyFile& file) {
  std::string done = study.attribute(tries_key).value_or("");
  std::map<std::string, std::size_t> there;
  for (std::size_t begin = 0; begin < done.size();) {
    const std::size_t end = std::min(done.find('\n', begin), done.size());
    ++there[done.substr(begin, end - begin)];
    begin = end + 1;
  }
  const std::string before = done;
  for (const Configuration& configuration : file.tries) {
    std::string key;
    for (const char c : configuration.to_string()) key += c == '\n' ? std::string("\\n") : std::string(1, c);
    if (std::size_t& count = there[key]; count > 0) {
      --count;
      continue;
    }
    study.enqueue(configuration);
    done += key + '\n';
  }
  if (done != before) study.set_attribute(tries_key, done);
}

}  // namespace carbo::program
