#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <span>

namespace carbo::internal {

/// The step δ that minimises ½ δᵀHδ − gᵀδ where x + δ stays at 0 or above in the entries marked (Lawson and Hanson's
/// active set, started from x). With H = AᵀA and g = Aᵀ(b − Ax), x + δ is the least-squares solution of A·x = b. An
/// entry held at its bound gets x + δ = 0 exactly. Given as a step from x, so that rounding is relative to the step.
///
/// `hessian`: p × p, symmetric, positive definite with a diagonal near 1 (both halves are read). `descent`: g.
/// `point`: x, 0 or above in the entries marked. `nonnegative`: p, 1 where the entry is bounded. Throws
/// NumericalError where H is not positive definite at its rounding.
Eigen::VectorXd nonnegative_step(const Eigen::MatrixXd& hessian, const Eigen::VectorXd& descent,
                                 const Eigen::VectorXd& point, std::span<const std::uint8_t> nonnegative);

}  // namespace carbo::internal
