#include "launch/inverse.cuh"

#include "device/covariance_tile.cuh"

namespace carbo::kernels {
namespace {

static_assert(inverse_block == tile);

/// Rows of the inverse that a block of threads makes, one warp each.
constexpr int rows_at_once = 4;

/// One warp a diagonal block; thread j makes column j of the inverse.
__global__ void __launch_bounds__(tile) invert_diagonal(GpView gp, int first_block, double* blocks) {
  __shared__ double lower[tile][tile];        // [j][i] = L(i, j)
  __shared__ double inverse[tile][tile + 1];  // [j][i]
  const int j = threadIdx.x;
  const int block = first_block + static_cast<int>(blockIdx.x);
  const int first = block * tile;
  const int rows = min(tile, gp.observed - first);
  for (int column = 0; column < tile; ++column) {
    const bool inside = j >= column && j < rows;
    lower[column][j] = inside ? gp.lower[(first + column) * gp.stride + first + j] : 0.0;
    inverse[column][j] = 0.0;
  }
  __syncthreads();
  if (j < rows) {
    inverse[j][j] = 1.0 / lower[j][j];
    for (int i = j + 1; i < rows; ++i) {
      double sum = 0.0;
      for (int k = j; k < i; ++k) sum = fma(lower[k][i], inverse[j][k], sum);
      inverse[j][i] = -sum / lower[i][i];
    }
  }
  __syncthreads();
  double* const target = blocks + static_cast<std::size_t>(block) * tile * tile;
  for (int column = 0; column < tile; ++column) target[column * tile + j] = inverse[column][j];
}

struct InverseStage {
  double lower[tile][tile + 1];      // [column][j] = L(j, column), or of a diagonal block's inverse
  double known[rows_at_once][tile];  // [row][j]
};

/// sum ← sum + Σ_j known(row, j) · lower(j, column) over a block; thread (column, row).
__device__ inline void add_products(const InverseStage& stage, double& sum) {
  const int column = threadIdx.x % tile;
  const int row = threadIdx.x / tile;
#pragma unroll 8
  for (int j = 0; j < tile; ++j) sum = fma(stage.known[row][j], stage.lower[column][j], sum);
}

/// Rows rows_at_once · blockIdx.y … of a block of rows, the last block first, from the diagonal to the left:
/// X(c) = −(Σ_h X(h) L(h, c)) L(c, c)⁻¹ over c < h ≤ r.
__global__ void __launch_bounds__(tile* rows_at_once)
    invert_rows(GpView gp, double* lower, const double* diagonal, int first) {
  __shared__ InverseStage stage;
  const int lane = threadIdx.x % tile;
  const int row = threadIdx.x / tile;
  const int r = first + static_cast<int>(gridDim.x - 1 - blockIdx.x);
  const int own = rows_at_once * static_cast<int>(blockIdx.y) + row;  // within the block of rows
  const double* const own_diagonal = diagonal + static_cast<std::size_t>(r) * tile * tile;
  const auto element = [&](int c, int j) {
    return static_cast<std::size_t>(r * tile + j) * gp.stride + static_cast<std::size_t>(c) * tile + own;
  };
  for (int c = r - 1; c >= 0; --c) {
    double sum = 0.0;
    for (int h = c + 1; h <= r; ++h) {
      for (int column = row; column < tile; column += rows_at_once) {
        const int j = h * tile + lane;
        stage.lower[column][lane] =
            j < gp.observed ? gp.lower[static_cast<std::size_t>(c * tile + column) * gp.stride + j] : 0.0;
      }
      stage.known[row][lane] = h == r ? own_diagonal[lane * tile + own] : lower[element(h, lane)];
      __syncthreads();
      add_products(stage, sum);
      __syncthreads();
    }
    for (int column = row; column < tile; column += rows_at_once)
      stage.lower[column][lane] = diagonal[(static_cast<std::size_t>(c) * tile + column) * tile + lane];
    stage.known[row][lane] = sum;
    __syncthreads();
    double product = 0.0;
    add_products(stage, product);
    lower[element(c, lane)] = -product;
    __syncthreads();
  }
}

}  // namespace

cudaError_t launch_inverse(cudaStream_t stream, const GpView& gp, double* lower, double* diagonal, int first) {
  const int blocks = (gp.observed + tile - 1) / tile;
  if (first >= blocks) return cudaSuccess;
  invert_diagonal<<<blocks - first, tile, 0, stream>>>(gp, first, diagonal);
  if (blocks > 1)
    invert_rows<<<dim3(blocks - first, tile / rows_at_once), tile * rows_at_once, 0, stream>>>(gp, lower, diagonal,
                                                                                               first);
  return cudaGetLastError();
}

void add_inverse_kernels(std::vector<const void*>& kernels) {
  kernels.push_back(reinterpret_cast<const void*>(invert_diagonal));
  kernels.push_back(reinterpret_cast<const void*>(invert_rows));
}

}  // namespace carbo::kernels
