#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "backend/cuda/candidates.hpp"
#include "backend/cuda/factor.hpp"
#include "backend/cuda/field.hpp"
#include "launch/posterior.cuh"
#include "launch/substitution.cuh"

namespace carbo::internal {

/// Room for v = L⁻¹k over candidates with `factors` factors of `rows` rows at a time.
class SubstitutionRoom {
 public:
  SubstitutionRoom() = default;
  SubstitutionRoom(const Context& context, std::size_t candidates, std::size_t rows, std::size_t factors);

  /// Blocks of threads for what a list of candidates takes a tile at a time, by factor.
  int resident() const { return resident_; }
  kernels::SubstitutionView view() { return {workspace_.data(), progress_.data(), slots_, blocks_}; }

 private:
  int resident_ = 0;
  int slots_ = 0;
  int blocks_ = 0;
  DeviceBuffer<double> workspace_;
  DeviceBuffer<unsigned> progress_;
};

/// Adds a pass over all candidates to `tasks`: where its mean has a background, that of the background first, which
/// is then the offset of the other. `task.gp` is the factor's view.
void add_pass(const CudaFactor& factor, const kernels::PosteriorTask& task,
              std::vector<kernels::PosteriorTask>& tasks);

/// See Backend::sweep. `offset` may be null.
std::unique_ptr<CudaField> sweep_candidates(const std::shared_ptr<const Context>& context, const CudaFactor& factor,
                                            const CudaCandidates& candidates, bool with_variance, Affine units,
                                            const CudaField* offset);

/// A factor with a field that follows it.
struct CudaMember {
  CudaFactor* factor = nullptr;
  CudaField* field = nullptr;
};

/// See Backend::fantasise; everything has been checked. Where only the values could not be read back, factors and
/// fields have advanced.
std::vector<double> fantasise_members(const Context& context, std::span<const CudaMember> members,
                                      const CudaCandidates& candidates, std::span<const double> point,
                                      std::span<const double> normals);

}  // namespace carbo::internal
