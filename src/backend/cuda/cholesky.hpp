#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "backend/cuda/context.hpp"

namespace carbo::internal {

/// Rows up to which several matrices are factored by one batched call. That call is made for many small matrices;
/// larger ones are factored one by one, on streams beside each other.
inline constexpr std::size_t most_batched_rows = 512;

/// Cholesky factors of matrices of one size, one by one (Xpotrf), in the order of the context's stream.
class Cholesky {
 public:
  explicit Cholesky(const Context& context) : context_(&context) {}
  /// After an error something may still be under way, with workspaces that go now: waits for it.
  ~Cholesky();
  Cholesky(const Cholesky&) = delete;
  Cholesky& operator=(const Cholesky&) = delete;

  /// Device memory that `plan` takes at most.
  static std::size_t workspace_bytes(const Context& context, std::size_t rows, std::size_t stride, std::size_t count);
  /// Takes room for `count` matrices of so many rows, elements `stride` a column. Waits where others are under way.
  void plan(std::size_t rows, std::size_t stride, std::size_t count);
  /// Lower triangles become factors; what lies above them is undefined. `matrices`: device memory of each.
  /// infos[k]: 0, or the pivot at which matrix k was found not to be positive definite.
  void factorise(std::span<double* const> matrices, int* infos);
  /// Tells that the context's stream was waited for.
  void settled() { under_way_ = false; }

 private:
  struct Need {
    std::size_t on_device = 0;
    std::size_t on_host = 0;
  };
  static Need need_of(const Context& context, std::size_t rows, std::size_t stride);
  void factorise_one(std::size_t k, std::size_t lane, double* matrix, int* info);

  const Context* context_;
  std::size_t rows_ = 0;
  std::size_t stride_ = 0;
  std::size_t count_ = 0;  ///< 0: not planned
  std::size_t lanes_ = 0;  ///< matrices at a time
  Need need_;
  DeviceBuffer<std::byte> workspace_;
  std::vector<std::byte> host_workspace_;  ///< of every matrix
  bool under_way_ = false;
};

}  // namespace carbo::internal
