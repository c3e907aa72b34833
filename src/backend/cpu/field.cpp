#include "backend/cpu/field.hpp"

#include <algorithm>
#include <carbo/error.hpp>
#include <string>

#include "backend/checks.hpp"

namespace carbo::internal {

CpuField::CpuField(std::size_t size, bool with_variance)
    : size_(size),
      means_(panels_of(size) * panel_width, 0.0),
      bases_(with_variance ? panels_of(size) * panel_width : 0, 0.0) {}

void check_has_values(const CpuField& field, const char* where) {
  if (field.deferred() != nullptr) throw_without_values(where);
}

double CpuField::mean(std::size_t candidate, std::size_t fantasy) const {
  check_has_values(*this, "field");
  check_field_index(candidate, size_, "candidate");
  check_field_index(fantasy, fantasies_, "fantasy");
  return mean_row(candidate / panel_width, fantasy)[candidate % panel_width];
}

double CpuField::variance(std::size_t candidate) const {
  check_field_index(candidate, size_, "candidate");
  if (!has_variance()) throw InvalidOptions("field: it was swept without a variance");
  return variance_at(candidate / panel_width, candidate % panel_width);
}

void CpuField::read(std::span<double> means, std::span<double> variances) const {
  check_has_values(*this, "field");
  check_field_room(means, variances, size_, has_variance());
  for (std::size_t i = 0; i < size_; ++i) {
    means[i] = mean_row(i / panel_width, 0)[i % panel_width];
    variances[i] = variance_at(i / panel_width, i % panel_width);
  }
}

void CpuField::spread(std::size_t fantasies) {
  std::vector<double> means(panels_of(size_) * panel_width * fantasies);
  for (std::size_t p = 0; p < panels_of(size_); ++p)
    for (std::size_t f = 0; f < fantasies; ++f)
      std::copy_n(mean_row(p, 0), panel_width, means.data() + (p * fantasies + f) * panel_width);
  means_ = std::move(means);
  fantasies_ = fantasies;
  if (reductions_.empty()) reductions_.assign(bases_.size(), 0.0);
}

}  // namespace carbo::internal
