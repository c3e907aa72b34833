#include "cost/nonnegative_least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <carbo/error.hpp>

namespace carbo::internal {
namespace {

constexpr double gradient_rounding = 1e-13;  // of the terms that a gradient is summed from

class ActiveSet {
 public:
  ActiveSet(const Eigen::MatrixXd& hessian, const Eigen::VectorXd& descent, const Eigen::VectorXd& point,
            std::span<const std::uint8_t> nonnegative)
      : hessian_(hessian), descent_(descent), point_(point), nonnegative_(nonnegative) {
    step_ = Eigen::VectorXd::Zero(point.size());
    for (Eigen::Index i = 0; i < point.size(); ++i) {
      if (!bounded(i) || point[i] > 0) free_.push_back(i);
    }
  }

  Eigen::VectorXd solve() {
    minimise_over_free();
    // Each release lowers the quadratic, so no set of free entries comes back, up to rounding: hence the limit.
    for (Eigen::Index releases = 0; releases < 3 * point_.size(); ++releases) {
      const Eigen::Index entry = entry_to_release();
      if (entry < 0) break;
      free_.insert(std::lower_bound(free_.begin(), free_.end(), entry), entry);
      minimise_over_free();
    }
    return step_;
  }

 private:
  bool bounded(Eigen::Index i) const { return nonnegative_[static_cast<std::size_t>(i)] != 0; }

  /// Share of the way to `target` at which entry i meets its bound; infinite where it does not.
  double reach(Eigen::Index i, double target) const {
    if (!bounded(i) || point_[i] + target > 0) return std::numeric_limits<double>::infinity();
    const double here = point_[i] + step_[i];
    return here > 0 ? here / (step_[i] - target) : 0.0;
  }

  /// Moves to the minimum over the free entries; one that meets its bound on the way is held there.
  void minimise_over_free() {
    bool arrived = false;
    while (!arrived && !free_.empty()) {
      const Eigen::VectorXd target = free_minimum();
      double length = 1.0;
      for (std::size_t f = 0; f < free_.size(); ++f) {
        length = std::min(length, reach(free_[f], target[static_cast<Eigen::Index>(f)]));
      }
      std::vector<Eigen::Index> still_free;
      for (std::size_t f = 0; f < free_.size(); ++f) {
        const Eigen::Index i = free_[f];
        const double there = target[static_cast<Eigen::Index>(f)];
        const bool meets = reach(i, there) <= length;
        step_[i] = meets ? -point_[i] : step_[i] + length * (there - step_[i]);
        if (!meets) still_free.push_back(i);
      }
      arrived = still_free.size() == free_.size();
      free_ = std::move(still_free);
    }
  }

  /// Of the free entries, with the others where they are.
  Eigen::VectorXd free_minimum() const {
    Eigen::VectorXd held = step_;
    held(free_).setZero();
    const Eigen::VectorXd pull = descent_ - hessian_ * held;
    const Eigen::LLT<Eigen::MatrixXd> factor(hessian_(free_, free_));
    if (factor.info() != Eigen::Success) {
      throw NumericalError(
          "least squares with bounds: the normal matrix is not positive definite; features or "
          "weights of finite and comparable size are needed");
    }
    return factor.solve(Eigen::VectorXd(pull(free_)));
  }

  /// The held entry along which the quadratic falls most steeply; −1 where none does by more than rounding.
  Eigen::Index entry_to_release() const {
    const Eigen::VectorXd slope = descent_ - hessian_ * step_;
    Eigen::Index steepest = -1;
    double largest = 0.0;
    for (Eigen::Index i = 0; i < slope.size(); ++i) {
      if (!bounded(i) || point_[i] + step_[i] > 0 || !(slope[i] > largest)) continue;
      const double terms = std::abs(descent_[i]) + hessian_.col(i).cwiseAbs().dot(step_.cwiseAbs());
      if (slope[i] <= gradient_rounding * terms || std::binary_search(free_.begin(), free_.end(), i)) continue;
      largest = slope[i];
      steepest = i;
    }
    return steepest;
  }

  const Eigen::MatrixXd& hessian_;
  const Eigen::VectorXd& descent_;
  const Eigen::VectorXd& point_;
  std::span<const std::uint8_t> nonnegative_;
  Eigen::VectorXd step_;
  std::vector<Eigen::Index> free_;  ///< ascending
};

}  // namespace

Eigen::VectorXd nonnegative_step(const Eigen::MatrixXd& hessian, const Eigen::VectorXd& descent,
                                 const Eigen::VectorXd& point, std::span<const std::uint8_t> nonnegative) {
  return ActiveSet(hessian, descent, point, nonnegative).solve();
}

}  // namespace carbo::internal
