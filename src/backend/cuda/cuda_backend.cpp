#include "backend/cuda/cuda_backend.hpp"

#include <string>

#include <carbo/error.hpp>

#include "backend/checks.hpp"
#include "backend/cuda/address_checks.hpp"
#include "backend/cuda/application_memory.hpp"
#include "backend/cuda/candidates.hpp"
#include "backend/cuda/dense_scores.hpp"
#include "backend/cuda/factor.hpp"
#include "backend/cuda/features.hpp"
#include "backend/cuda/field.hpp"
#include "backend/cuda/likelihood.hpp"
#include "backend/cuda/posterior_pass.hpp"
#include "backend/cuda/race.hpp"
#include "backend/cuda/search.hpp"

namespace carbo::internal {
namespace {

class CudaBackend final : public CudaBackendFace {
 public:
  explicit CudaBackend(const CudaOptions& options)
      : context_(std::make_shared<Context>(options)), likelihood_(context_), scores_(context_) {}

  std::string name() const override { return "cuda"; }
  bool asynchronous() const override { return true; }
  const Footprint& footprint() const override { return cuda_footprint(); }
  const Context& context() const override { return *context_; }

  std::unique_ptr<CandidateSet> make_candidates(MatrixView encoded) override {
    return std::make_unique<CudaCandidates>(context_, encoded);
  }
  std::unique_ptr<CandidateSet> make_candidates(const SobolRows& rows) override {
    return std::make_unique<CudaCandidates>(context_, rows);
  }

  void likelihoods(std::span<const LikelihoodRequest> requests, std::span<LikelihoodValue> values) override {
    likelihood_.compute(requests, values);
  }

  std::vector<std::unique_ptr<GpFactor>> factor(MatrixView points, std::span<const double> targets,
                                                std::span<const GpParameters> parameters,
                                                std::span<const double> counts) override {
    return make_factors(context_, points, targets, parameters, counts);
  }

  std::unique_ptr<Field> sweep(const GpFactor& factor, const CandidateSet& candidates, bool with_variance,
                               Affine units, const Field* offset) override {
    const auto& gp = own<const CudaFactor>(factor, "sweep: the factor");
    const auto& set = own<const CudaCandidates>(candidates, "sweep: the candidate set");
    check_size(set.columns(), gp.columns(), "sweep, columns of the candidates");
    const DeviceScope scope(*context_);
    return sweep_candidates(context_, gp, set, with_variance, units, own_offset(offset, set.size()));
  }

  std::unique_ptr<Field> sweep_for_search(const GpFactor& factor, const CandidateSet& candidates, Affine units,
                                          const Field* offset) override {
    const auto& set = own<const CudaCandidates>(candidates, "sweep: the candidate set");
    MeansOnDemand means{&own<const CudaFactor>(factor, "sweep: the factor"), units, {}};
    check_size(set.columns(), means.factor->columns(), "sweep, columns of the candidates");
    const DeviceScope scope(*context_);
    if (const CudaField* added = own_offset(offset, set.size())) {
      means.offset = context_->buffer<double>(set.size());
      context_->copy_on_device(means.offset.data(), added->mean_row(0), set.size());
    }
    return std::make_unique<CudaField>(context_, set.size(), std::move(means));
  }

  std::unique_ptr<FeatureTable> make_features(MatrixView values) override {
    return std::make_unique<CudaFeatures>(context_, values);
  }

  std::unique_ptr<Field> linear_field(const FeatureTable& features, const LinearTerm& term,
                                      const Field* offset) override {
    const auto& table = own<const CudaFeatures>(features, "linear_field: the feature table");
    return table.linear_field(term, own_offset(offset, table.size()));
  }

  std::unique_ptr<Field> make_field(std::span<const double> means, std::span<const double> variances) override;

  std::vector<double> fantasise(std::span<const Member> members, const CandidateSet& candidates,
                                std::span<const double> point, std::span<const double> normals) override;

  BestTwo best(const CandidateSet& candidates, const ScoreRequest& request) override {
    return scores_.best(own<const CudaCandidates>(candidates, "best: the candidate set"), request);
  }
  void scores(const CandidateSet& candidates, const ScoreRequest& request, std::span<double> out) override {
    scores_.scores(own<const CudaCandidates>(candidates, "scores: the candidate set"), request, out);
  }

  std::unique_ptr<Search> make_search(const CandidateSet& candidates, const SearchSetup& setup) override {
    return make_bounded_search(candidates, setup, 0);
  }
  std::unique_ptr<BoundedSearch> make_bounded_search(const CandidateSet& candidates, const SearchSetup& setup,
                                                     double ceiling_shift) override {
    const auto& set = own<const CudaCandidates>(candidates, "search: the candidate set");
    return std::make_unique<CudaSearch>(context_, set, setup, ceiling_shift);
  }

  std::size_t race(const CandidateSet& candidates, const Field& log_cost, double log_cost_limit) override {
    const auto& set = own<const CudaCandidates>(candidates, "race: the candidate set");
    return run_cuda_race(set, own<const CudaField>(log_cost, "race: the log cost's field"), log_cost_limit);
  }

  int device() const override { return context_->device(); }
  std::unique_ptr<CandidateSet> borrow_candidates(const DeviceMatrix& pool) override {
    return std::make_unique<CudaCandidates>(context_, pool);
  }
  void read(std::span<const DeviceMatrix> matrices, std::span<double> to) override {
    const DeviceScope scope(*context_);
    read_matrices(*context_, matrices, to);
  }
  void read(const std::int64_t* from, std::span<std::int64_t> to, const std::string& name) override {
    const DeviceScope scope(*context_);
    read_indices(*context_, from, to, name);
  }
  void check_host(const void* address, const std::string& name) override {
    const DeviceScope scope(*context_);
    check_host_address(address, name, context_->checker());
  }
  void check_room(const void* to, std::size_t bytes, std::size_t alignment, const std::string& name) override {
    const DeviceScope scope(*context_);
    check_device_range(context_->device(), to, bytes, alignment, name, context_->checker());
  }
  void write(void* to, std::span<const std::byte> from) override {
    const DeviceScope scope(*context_);
    context_->upload(static_cast<std::byte*>(to), from);
  }
  void write_scores(const CandidateSet& candidates, const ScoreRequest& request, double* to) override {
    scores_.write(own<const CudaCandidates>(candidates, "scores: the candidate set"), request, to);
  }
  void write_scores(const CandidateSet& candidates, const ScoreRequest& request, float* to) override {
    scores_.write(own<const CudaCandidates>(candidates, "scores: the candidate set"), request, to);
  }
  void wait() override {
    const DeviceScope scope(*context_);
    context_->synchronise();
  }
  std::shared_ptr<void> allocate(std::size_t bytes) override {
    const DeviceScope scope(*context_);
    return allocate_shared(*context_, bytes);
  }

 private:
  /// The device object behind an interface; throws InvalidOptions where another backend made it.
  template <class Own, class Interface>
  Own& own(Interface& object, const char* what) const {
    auto* mine = dynamic_cast<Own*>(&object);
    if (mine == nullptr || &mine->context() != context_.get())
      throw InvalidOptions(std::string(what) + " does not belong to the cuda backend");
    return *mine;
  }

  const CudaField* own_offset(const Field* offset, std::size_t candidates) const {
    if (offset == nullptr) return nullptr;
    const auto& field = own<const CudaField>(*offset, "the offset's field");
    check_size(field.size(), candidates, "offset, candidates of its field");
    check_size(field.means(), 1, "offset, means of its field");
    check_has_values(field, "offset");
    return &field;
  }

  std::shared_ptr<const Context> context_;
  CudaLikelihood likelihood_;
  DenseScores scores_;
};

std::unique_ptr<Field> CudaBackend::make_field(std::span<const double> means, std::span<const double> variances) {
  check_field_values(means, variances);
  const DeviceScope scope(*context_);
  auto field = std::make_unique<CudaField>(context_, means.size(), !variances.empty());
  context_->upload(field->mean_row(0), means);
  if (!variances.empty()) context_->upload(field->bases(), variances);
  return field;
}

std::vector<double> CudaBackend::fantasise(std::span<const Member> members, const CandidateSet& candidates,
                                           std::span<const double> point, std::span<const double> normals) {
  const auto& set = own<const CudaCandidates>(candidates, "fantasise: the candidate set");
  check_fantasy(point, set.columns(), normals, members.size());
  const std::size_t per_member = normals.size() / members.size();
  std::vector<CudaMember> checked;
  for (const Member& member : members) {
    CudaMember mine{&own<CudaFactor>(*member.factor, "fantasise: the factor"),
                    &own<CudaField>(*member.field, "fantasise: the field")};
    check_size(mine.factor->columns(), set.columns(), "fantasise, columns of the factor");
    check_size(mine.field->size(), set.size(), "fantasise, candidates of the field");
    if (!mine.field->has_variance()) throw InvalidOptions("fantasise: the field must be swept with its variance");
    if (mine.field->conditioned()) check_size(mine.field->means(), per_member, "fantasise, means of the field");
    checked.push_back(mine);
  }
  const DeviceScope scope(*context_);
  return fantasise_members(*context_, checked, set, point, normals);
}

}  // namespace

std::unique_ptr<CudaBackendFace> make_cuda_backend(const CudaOptions& options) {
  return std::make_unique<CudaBackend>(options);
}

}  // namespace carbo::internal
