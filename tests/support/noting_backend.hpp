#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <carbo/error.hpp>

#include "backend/backend.hpp"

namespace carbo::test {

using namespace carbo::internal;

/// The cpu backend, said to be asynchronous or not; notes when candidates are handed over and when they are searched.
class NotingBackend final : public Backend {
 public:
  explicit NotingBackend(bool asynchronous)
      : cpu_(internal::make_backend({.kind = BackendKind::cpu, .threads = 2})), asynchronous_(asynchronous) {}

  std::string calls;             ///< 'c' where candidates were handed over as rows, 's' as Sobol points, 't' a search
  std::size_t fail_at_set = -1;  ///< the set whose making fails

  std::string name() const override { return "noting"; }
  bool asynchronous() const override { return asynchronous_; }
  const Footprint& footprint() const override { return cpu_->footprint(); }
  std::unique_ptr<CandidateSet> make_candidates(MatrixView encoded) override {
    note('c');
    return cpu_->make_candidates(encoded);
  }
  std::unique_ptr<CandidateSet> make_candidates(const SobolRows& rows) override {
    note('s');
    return cpu_->make_candidates(rows);
  }
  std::unique_ptr<Search> make_search(const CandidateSet& candidates, const SearchSetup& setup) override {
    return std::make_unique<NotingSearch>(cpu_->make_search(candidates, setup), calls);
  }
  std::unique_ptr<BoundedSearch> make_bounded_search(const CandidateSet& candidates, const SearchSetup& setup,
                                                     double ceiling_shift) override {
    return cpu_->make_bounded_search(candidates, setup, ceiling_shift);
  }
  void likelihoods(std::span<const LikelihoodRequest> requests, std::span<LikelihoodValue> values) override {
    cpu_->likelihoods(requests, values);
  }
  std::vector<std::unique_ptr<GpFactor>> factor(MatrixView points, std::span<const double> targets,
                                                std::span<const GpParameters> parameters,
                                                std::span<const double> counts) override {
    return cpu_->factor(points, targets, parameters, counts);
  }
  std::unique_ptr<Field> sweep(const GpFactor& factor, const CandidateSet& candidates, bool with_variance,
                               Affine units, const Field* offset) override {
    return cpu_->sweep(factor, candidates, with_variance, units, offset);
  }
  std::unique_ptr<FeatureTable> make_features(MatrixView values) override { return cpu_->make_features(values); }
  std::unique_ptr<Field> linear_field(const FeatureTable& features, const LinearTerm& term,
                                      const Field* offset) override {
    return cpu_->linear_field(features, term, offset);
  }
  std::unique_ptr<Field> make_field(std::span<const double> means, std::span<const double> variances) override {
    return cpu_->make_field(means, variances);
  }
  std::vector<double> fantasise(std::span<const Member> members, const CandidateSet& candidates,
                                std::span<const double> point, std::span<const double> normals) override {
    return cpu_->fantasise(members, candidates, point, normals);
  }
  BestTwo best(const CandidateSet& candidates, const ScoreRequest& request) override {
    return cpu_->best(candidates, request);
  }
  void scores(const CandidateSet& candidates, const ScoreRequest& request, std::span<double> out) override {
    cpu_->scores(candidates, request, out);
  }
  std::size_t race(const CandidateSet& candidates, const Field& log_cost, double limit) override {
    return cpu_->race(candidates, log_cost, limit);
  }

 private:
  class NotingSearch final : public Search {
   public:
    NotingSearch(std::unique_ptr<Search> search, std::string& calls) : search_(std::move(search)), calls_(calls) {}
    double log_cost(std::size_t best) const override { return search_->log_cost(best); }
    std::vector<double> fantasise(std::span<const double> point, std::span<const double> normals) override {
      return search_->fantasise(point, normals);
    }
    std::vector<Scored> top(const SearchRequest& request, std::size_t count) override {
      calls_ += 't';
      return search_->top(request, count);
    }
    std::uint64_t available() const override { return search_->available(); }
    SearchWork work() const override { return search_->work(); }

   private:
    std::unique_ptr<Search> search_;
    std::string& calls_;
  };

  void note(char call) {
    const auto sets = static_cast<std::size_t>(std::ranges::count_if(calls, [](char c) { return c != 't'; }));
    if (sets == fail_at_set) throw NumericalError("made to fail");
    calls += call;
  }

  std::unique_ptr<Backend> cpu_;
  bool asynchronous_;
};

}  // namespace carbo::test
