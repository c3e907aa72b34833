#include "gp/bounded_minimizer.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace carbo::internal {
namespace {

constexpr double sufficient_decrease = 1e-4;  // Armijo
constexpr double sufficient_curvature = 0.9;  // weak Wolfe
constexpr double growth = 4.0;                // of a step that proved too short
constexpr std::size_t trials_per_line = 20;
constexpr double smallest_relative_eigenvalue = 1e-6;

Eigen::VectorXd copied(std::span<const double> values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// Positive definite matrix with the eigenvectors of `matrix` and the moduli of its eigenvalues.
Eigen::MatrixXd made_positive(const Eigen::MatrixXd& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(0.5 * (matrix + matrix.transpose()));
  const double floor = std::max(smallest_relative_eigenvalue * eigen.eigenvalues().cwiseAbs().maxCoeff(), 1e-8);
  const Eigen::VectorXd moduli = eigen.eigenvalues().cwiseAbs().cwiseMax(floor);
  return eigen.eigenvectors() * moduli.asDiagonal() * eigen.eigenvectors().transpose();
}

/// Fraction of [0, 1] at which the cubic through two values and slopes is lowest; NaN where it has no minimum.
double cubic_minimum(double value_0, double slope_0, double value_1, double slope_1) {
  const double mid = 3.0 * (value_0 - value_1) + slope_0 + slope_1;
  const double root = std::sqrt(mid * mid - slope_0 * slope_1);
  return 1.0 - (slope_1 + root - mid) / (slope_1 - slope_0 + 2.0 * root);
}

}  // namespace

BoundedMinimizer::BoundedMinimizer(std::span<const double> start, std::span<const double> lower,
                                   std::span<const double> upper, MinimizerSettings settings,
                                   const std::optional<Eigen::MatrixXd>& curvature)
    : settings_(settings), lower_(copied(lower)), upper_(copied(upper)) {
  const auto size = static_cast<Eigen::Index>(start.size());
  if (lower_.size() != size || upper_.size() != size || !lower_.allFinite() || !upper_.allFinite() ||
      (lower_.array() > upper_.array()).any() || !copied(start).allFinite()) {
    throw std::invalid_argument("BoundedMinimizer: start and bounds need one size, finite values and lower <= upper");
  }
  trial_.point = copied(start).cwiseMax(lower_).cwiseMin(upper_);
  current_.point = trial_.point;
  if (curvature && curvature->allFinite() && curvature->rows() == size && curvature->cols() == size) {
    hessian_ = made_positive(*curvature);
    curvature_learned_ = true;
  }
}

void BoundedMinimizer::tell(double value, std::span<const double> gradient) {
  if (done_) return;
  ++evaluations_;
  trial_.value = value;
  trial_.gradient = copied(gradient);
  if (!std::isfinite(value) || !trial_.gradient.allFinite()) {
    trial_.value = std::numeric_limits<double>::infinity();
  }
  if (!started_) {
    started_ = true;
    if (!std::isfinite(trial_.value)) {
      done_ = true;
      return;
    }
    current_ = trial_;
    if (!curvature_learned_) forget_curvature();
    start_line_search();
  } else {
    continue_line_search();
  }
}

bool BoundedMinimizer::held_at_bound(Eigen::Index i) const {
  return (current_.point[i] <= lower_[i] && current_.gradient[i] >= 0) ||
         (current_.point[i] >= upper_[i] && current_.gradient[i] <= 0);
}

double BoundedMinimizer::projected_gradient() const {
  const Eigen::VectorXd moved = (current_.point - current_.gradient).cwiseMax(lower_).cwiseMin(upper_);
  return moved.size() == 0 ? 0.0 : (moved - current_.point).cwiseAbs().maxCoeff();
}

double BoundedMinimizer::tolerance() const {
  return settings_.decrease_tolerance * std::max(1.0, std::abs(current_.value));
}

void BoundedMinimizer::forget_curvature() {
  const double steepest = std::max(current_.gradient.cwiseAbs().maxCoeff(), 1e-12);
  hessian_ =
      Eigen::MatrixXd::Identity(current_.point.size(), current_.point.size()) * (steepest / settings_.first_step);
  curvature_learned_ = false;
}

/// Step to the minimum of the quadratic model in the box: a variable that would leave the box is set on its bound
/// and the others are solved for again. Absent where the result is not a descent direction.
std::optional<Eigen::VectorXd> BoundedMinimizer::model_step() const {
  const Eigen::Index size = current_.point.size();
  Eigen::VectorXd step = Eigen::VectorXd::Zero(size);
  std::vector<Eigen::Index> free;
  for (Eigen::Index i = 0; i < size; ++i) {
    if (!held_at_bound(i)) free.push_back(i);
  }
  bool clamped = true;
  while (clamped && !free.empty()) {
    Eigen::VectorXd fixed = step;
    fixed(free).setZero();
    const Eigen::VectorXd pull = current_.gradient + hessian_ * fixed;
    const Eigen::LLT<Eigen::MatrixXd> factor(hessian_(free, free));
    if (factor.info() != Eigen::Success) return std::nullopt;
    step(free) = -factor.solve(Eigen::VectorXd(pull(free)));
    std::vector<Eigen::Index> inside;
    for (const Eigen::Index i : free) {
      const double bounded = std::clamp(step[i], lower_[i] - current_.point[i], upper_[i] - current_.point[i]);
      if (bounded == step[i]) inside.push_back(i);
      step[i] = bounded;
    }
    clamped = inside.size() < free.size();
    free = std::move(inside);
  }
  if (!step.allFinite() || !(current_.gradient.dot(step) < 0)) return std::nullopt;
  return step;
}

Eigen::VectorXd BoundedMinimizer::gradient_step() const {
  const double steepest = std::max(current_.gradient.cwiseAbs().maxCoeff(), 1e-300);
  const Eigen::VectorXd moved = current_.point - current_.gradient * (settings_.first_step / steepest);
  return moved.cwiseMax(lower_).cwiseMin(upper_) - current_.point;
}

void BoundedMinimizer::start_line_search() {
  if (projected_gradient() <= settings_.gradient_tolerance || evaluations_ >= settings_.max_evaluations) {
    done_ = true;
    return;
  }
  std::optional<Eigen::VectorXd> step = model_step();
  if (!step) {
    forget_curvature();
    step = gradient_step();
  }
  const double longest = step->cwiseAbs().maxCoeff();
  const bool shortened = longest > settings_.largest_step;
  if (shortened) *step *= settings_.largest_step / longest;
  direction_ = *step;
  current_.length = 0;
  current_.slope = current_.gradient.dot(direction_);
  if (!(current_.slope < 0) || (!shortened && curvature_learned_ && -0.5 * current_.slope <= tolerance())) {
    done_ = true;
    return;
  }
  low_ = current_;
  high_.reset();
  trials_ = 0;
  try_length(1.0);
}

double BoundedMinimizer::longest_length() const {
  double longest = settings_.largest_step / direction_.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < direction_.size(); ++i) {
    if (direction_[i] > 0) longest = std::min(longest, (upper_[i] - current_.point[i]) / direction_[i]);
    if (direction_[i] < 0) longest = std::min(longest, (lower_[i] - current_.point[i]) / direction_[i]);
  }
  return std::max(longest, 1.0);
}

void BoundedMinimizer::try_length(double length) {
  ++trials_;
  trial_.length = length;
  trial_.point = (current_.point + length * direction_).cwiseMax(lower_).cwiseMin(upper_);
}

void BoundedMinimizer::continue_line_search() {
  const bool finite = std::isfinite(trial_.value);
  if (finite) trial_.slope = trial_.gradient.dot(direction_);
  const bool decreased = finite &&
                         trial_.value <= current_.value + sufficient_decrease * trial_.length * current_.slope &&
                         trial_.value <= low_.value;
  if (!decreased) {
    high_ = trial_;
  } else if (trial_.slope >= sufficient_curvature * current_.slope) {
    accept(trial_);
    return;
  } else {
    low_ = trial_;
  }
  if (trials_ >= trials_per_line || evaluations_ >= settings_.max_evaluations) {
    give_up_line();
    return;
  }
  if (!high_) {
    const double longest = longest_length();
    if (low_.length >= longest) {
      accept(Iterate(low_));
    } else {
      try_length(std::min(longest, growth * low_.length));
    }
    return;
  }
  const double width = high_->length - low_.length;
  double fraction = 0.25;
  if (std::isfinite(high_->value)) {
    fraction = cubic_minimum(low_.value, low_.slope * width, high_->value, high_->slope * width);
    fraction = std::isfinite(fraction) ? std::clamp(fraction, 0.05, 0.9) : 0.5;
  }
  try_length(low_.length + fraction * width);
}

/// The line has no acceptable step within its trials: take what decreased, else restart from the gradient, else
/// stop (the value cannot be lowered any further at its own rounding).
void BoundedMinimizer::give_up_line() {
  if (low_.length > 0) {
    accept(Iterate(low_));
  } else if (curvature_learned_ && evaluations_ < settings_.max_evaluations) {
    forget_curvature();
    start_line_search();
  } else {
    done_ = true;
  }
}

void BoundedMinimizer::learn_curvature(const Eigen::VectorXd& step, const Eigen::VectorXd& gradient_change) {
  const double curvature = step.dot(gradient_change);
  if (!curvature_learned_ && curvature > 0) {
    const double scale = gradient_change.squaredNorm() / curvature;
    hessian_ = Eigen::MatrixXd::Identity(step.size(), step.size()) * scale;
  }
  curvature_learned_ = true;
  const Eigen::VectorXd predicted = hessian_ * step;
  const double expected = step.dot(predicted);
  if (!(expected > 0)) return;
  // Powell's damping: the change is blended with what the model predicted where it shows too little curvature.
  const double blend = curvature >= 0.2 * expected ? 1.0 : 0.8 * expected / (expected - curvature);
  const Eigen::VectorXd change = blend * gradient_change + (1.0 - blend) * predicted;
  hessian_ += change * change.transpose() / step.dot(change) - predicted * predicted.transpose() / expected;
}

void BoundedMinimizer::accept(const Iterate& iterate) {
  const double decrease = current_.value - iterate.value;
  learn_curvature(iterate.point - current_.point, iterate.gradient - current_.gradient);
  current_ = iterate;
  small_steps_ = decrease <= tolerance() ? small_steps_ + 1 : 0;
  if (small_steps_ >= 2) {
    done_ = true;
  } else {
    start_line_search();
  }
}

}  // namespace carbo::internal
