#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "backend/backend.hpp"

namespace carbo::test {

using namespace carbo::internal;

/// Matérn-5/2 covariance by its definition, entry by entry.
inline double reference_covariance(const GpParameters& p, std::span<const double> a, std::span<const double> b) {
  double squared = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    squared += (a[j] - b[j]) * (a[j] - b[j]) * p.inverse_lengthscales[j] * p.inverse_lengthscales[j];
  }
  const double r = std::sqrt(5.0 * squared);
  return p.signal_variance * (1.0 + r + r * r / 3.0) * std::exp(-r);
}

inline Eigen::MatrixXd reference_gram(const GpParameters& p, MatrixView points) {
  Eigen::MatrixXd gram(points.rows, points.rows);
  for (std::size_t i = 0; i < points.rows; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      gram(i, j) = gram(j, i) = reference_covariance(p, points.row(i), points.row(j));
    }
  }
  return gram;
}

/// A GP by its dense inverse.
class ReferenceFactor final : public GpFactor {
 public:
  ReferenceFactor(MatrixView points, std::span<const double> targets, GpParameters parameters,
                  std::span<const double> counts = {})
      : columns_(points.columns),
        points_(points.data, points.data + points.rows * points.columns),
        targets_(targets.begin(), targets.end()),
        counts_(counts.begin(), counts.end()),
        parameters_(std::move(parameters)) {
    counts_.resize(points.rows, 1.0);
    invert();
  }

  const GpParameters& parameters() const override { return parameters_; }
  std::size_t observed() const override { return targets_.size(); }
  std::size_t fantasised() const override { return 0; }
  double jitter() const override { return 0; }
  void set_targets(std::span<const double> targets) override { targets_.assign(targets.begin(), targets.end()); }
  void set_background(MatrixView, std::span<const double>) override {
    throw std::logic_error("not in the reference");
  }
  std::vector<double> posterior_products(MatrixView, std::span<const double>) const override {
    throw std::logic_error("not in the reference");
  }
  bool append(std::span<const double> point) override {
    points_.insert(points_.end(), point.begin(), point.end());
    targets_.push_back(parameters_.mean);
    counts_.push_back(1.0);
    invert();
    ++appended;
    return true;
  }
  std::vector<double> fantasise(std::span<const double>, std::span<const double>) override {
    throw std::logic_error("not in the reference");
  }
  void drop_fantasies() override {}
  void predict(MatrixView points, std::span<double> mean, std::span<double> variance) const override {
    const Eigen::VectorXd weights = inverse_ * residual();
    for (std::size_t i = 0; i < points.rows; ++i) {
      Eigen::VectorXd k(observed());
      for (std::size_t j = 0; j < observed(); ++j) k[j] = reference_covariance(parameters_, points.row(i), row(j));
      mean[i] = parameters_.mean + k.dot(weights);
      variance[i] = std::max(parameters_.signal_variance - k.dot(inverse_ * k), 0.0);
    }
  }
  std::vector<double> lowest_fitted_mean() const override { throw std::logic_error("not in the reference"); }
  LeaveOneOut leave_one_out() const override {
    const Eigen::VectorXd weights = inverse_ * residual();
    LeaveOneOut result;
    for (std::size_t i = 0; i < observed(); ++i) {
      result.mean.push_back(targets_[i] - weights[i] / inverse_(i, i));
      result.variance.push_back(1.0 / inverse_(i, i));
    }
    return result;
  }

  int appended = 0;

 private:
  std::span<const double> row(std::size_t i) const { return {points_.data() + i * columns_, columns_}; }
  Eigen::VectorXd residual() const {
    return Eigen::Map<const Eigen::VectorXd>(targets_.data(), targets_.size()).array() - parameters_.mean;
  }
  void invert() {
    Eigen::MatrixXd gram = reference_gram(parameters_, {points_.data(), targets_.size(), columns_});
    for (std::size_t i = 0; i < counts_.size(); ++i) gram(i, i) += parameters_.noise_variance / counts_[i];
    inverse_ = gram.ldlt().solve(Eigen::MatrixXd::Identity(gram.rows(), gram.cols()));
  }

  std::size_t columns_;
  std::vector<double> points_, targets_, counts_;
  GpParameters parameters_;
  Eigen::MatrixXd inverse_;
};

class ReferenceField final : public Field {
 public:
  std::vector<double> means_, variances_;
  std::size_t size() const override { return means_.size(); }
  std::size_t means() const override { return 1; }
  bool has_variance() const override { return !variances_.empty(); }
  double mean(std::size_t candidate, std::size_t) const override { return means_[candidate]; }
  double variance(std::size_t candidate) const override { return variances_[candidate]; }
  void read(std::span<double> means, std::span<double> variances) const override {
    std::copy(means_.begin(), means_.end(), means.begin());
    std::copy(variances_.begin(), variances_.end(), variances.begin());
  }
};

/// What surrogates and cost models need of a backend, by dense inverses; counts its calls. Everything else throws.
class ReferenceBackend final : public Backend {
 public:
  std::string name() const override { return "reference"; }
  void likelihoods(std::span<const LikelihoodRequest> requests, std::span<LikelihoodValue> values) override {
    ++likelihood_calls;
    for (std::size_t i = 0; i < requests.size(); ++i) values[i] = likelihood(requests[i]);
    likelihoods_computed += requests.size();
  }
  std::vector<std::unique_ptr<GpFactor>> factor(MatrixView points, std::span<const double> targets,
                                                std::span<const GpParameters> parameters,
                                                std::span<const double> counts) override {
    ++factor_calls;
    std::vector<std::unique_ptr<GpFactor>> factors;
    for (const auto& one : parameters)
      factors.push_back(std::make_unique<ReferenceFactor>(points, targets, one, counts));
    return factors;
  }
  std::unique_ptr<Field> make_field(std::span<const double> means, std::span<const double> variances) override {
    auto field = std::make_unique<ReferenceField>();
    field->means_.assign(means.begin(), means.end());
    field->variances_.assign(variances.begin(), variances.end());
    return field;
  }
  bool asynchronous() const override { return false; }
  const Footprint& footprint() const override { throw std::logic_error("not in the reference"); }
  std::unique_ptr<CandidateSet> make_candidates(MatrixView) override {
    throw std::logic_error("not in the reference");
  }
  std::unique_ptr<CandidateSet> make_candidates(const SobolRows&) override {
    throw std::logic_error("not in the reference");
  }
  std::unique_ptr<Field> sweep(const GpFactor&, const CandidateSet&, bool, Affine, const Field*) override {
    throw std::logic_error("not in the reference");
  }
  std::unique_ptr<FeatureTable> make_features(MatrixView) override { throw std::logic_error("not in the reference"); }
  std::unique_ptr<Field> linear_field(const FeatureTable&, const LinearTerm&, const Field*) override {
    throw std::logic_error("not in the reference");
  }
  std::vector<double> fantasise(std::span<const Member>, const CandidateSet&, std::span<const double>,
                                std::span<const double>) override {
    throw std::logic_error("not in the reference");
  }
  BestTwo best(const CandidateSet&, const ScoreRequest&) override { throw std::logic_error("not in the reference"); }
  void scores(const CandidateSet&, const ScoreRequest&, std::span<double>) override {
    throw std::logic_error("not in the reference");
  }
  std::unique_ptr<Search> make_search(const CandidateSet&, const SearchSetup&) override {
    throw std::logic_error("not in the reference");
  }
  std::unique_ptr<BoundedSearch> make_bounded_search(const CandidateSet&, const SearchSetup&, double) override {
    throw std::logic_error("not in the reference");
  }
  std::size_t race(const CandidateSet&, const Field&, double) override {
    throw std::logic_error("not in the reference");
  }

  int likelihood_calls = 0;
  std::size_t likelihoods_computed = 0;
  int factor_calls = 0;

 private:
  static GpParameters parameters_of(const LikelihoodRequest& request) {
    const std::size_t groups = request.log_parameters.size() - 2;
    GpParameters p;
    for (const int group : request.column_groups) {
      p.inverse_lengthscales.push_back(std::exp(-request.log_parameters[group]));
    }
    p.signal_variance = std::exp(request.log_parameters[groups]);
    p.noise_variance = std::exp(request.log_parameters[groups + 1]);
    return p;
  }

  static LikelihoodValue likelihood(const LikelihoodRequest& request) {
    const GpParameters p = parameters_of(request);
    const Eigen::Index n = request.points.rows;
    const std::size_t groups = request.log_parameters.size() - 2;
    const Eigen::MatrixXd signal = reference_gram(p, request.points);
    Eigen::MatrixXd gram = signal;
    Eigen::VectorXd noise = Eigen::VectorXd::Constant(n, p.noise_variance);
    for (std::size_t i = 0; i < request.counts.size(); ++i) noise[i] /= request.counts[i];
    gram.diagonal() += noise;
    const Eigen::LLT<Eigen::MatrixXd> factor(gram);
    LikelihoodValue value;
    if (factor.info() != Eigen::Success) return value;
    const Eigen::MatrixXd inverse = factor.solve(Eigen::MatrixXd::Identity(n, n));
    const Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(request.targets.data(), n);
    value.mean = request.mean ? *request.mean : (inverse * y).sum() / inverse.sum();
    const Eigen::VectorXd residual = y.array() - value.mean;
    const Eigen::VectorXd weights = inverse * residual;
    const double log_determinant = 2.0 * factor.matrixLLT().diagonal().array().log().sum();
    value.log_likelihood = -0.5 * (residual.dot(weights) + log_determinant + n * std::log(2.0 * std::numbers::pi));
    const Eigen::MatrixXd pull = 0.5 * (weights * weights.transpose() - inverse);
    value.gradient.assign(groups + 2, 0.0);
    value.gradient[groups] = pull.cwiseProduct(signal).sum();
    value.gradient[groups + 1] = pull.diagonal().dot(noise);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < i; ++j) add_lengthscale_terms(request, p, i, j, 2 * pull(i, j), value.gradient);
    }
    return value;
  }

  /// ∂k/∂log ℓ_g = σ² (5/3) (1 + √5 r) e^{−√5 r} Σ_{j in g} (Δ_j / ℓ_j)².
  static void add_lengthscale_terms(const LikelihoodRequest& request, const GpParameters& p, std::size_t a,
                                    std::size_t b, double pull, std::vector<double>& gradient) {
    const auto x = request.points.row(a), y = request.points.row(b);
    const auto square = [&](std::size_t j) {
      const double scaled = (x[j] - y[j]) * p.inverse_lengthscales[j];
      return scaled * scaled;
    };
    double squared = 0;
    for (std::size_t j = 0; j < x.size(); ++j) squared += square(j);
    const double r = std::sqrt(5.0 * squared);
    const double common = pull * p.signal_variance * (5.0 / 3.0) * (1.0 + r) * std::exp(-r);
    for (std::size_t j = 0; j < x.size(); ++j) gradient[request.column_groups[j]] += common * square(j);
  }
};

}  // namespace carbo::test
