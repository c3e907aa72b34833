// Counters of work: kernels and library calls whose counts are known.
#include <cusolverDn.h>

#include "reference.hpp"
#include "work.hpp"

namespace {

struct Counted {
  unsigned long long operations = 0, divisions = 0, single = 0, read = 0, written = 0, atomics = 0;
  bool operator==(const Counted&) const = default;

  static Counted now() {
    return {emulator_counter("float64 operations"),   emulator_counter("float64 divisions and roots"),
            emulator_counter("float32 operations"),   emulator_counter("device bytes read"),
            emulator_counter("device bytes written"), emulator_counter("atomics")};
  }
};

void PrintTo(const Counted& c, std::ostream* out) {
  *out << c.operations << " operations, " << c.divisions << " divisions, " << c.single << " in float32, " << c.read
       << " bytes read, " << c.written << " written, " << c.atomics << " atomics";
}

class Work : public ::testing::Test {
 protected:
  // What runs after this is counted, when it has been waited for.
  void start() { emulator_reset_counters(); }
  Counted count() {
    stream.wait();
    return Counted::now();
  }

  Stream stream;
  const DeviceArray<double> x{std::vector<double>(64, 2.0)}, y{std::vector<double>(64, 3.0)}, out{std::size_t{64}};
};

struct LibraryWork {
  unsigned long long operations = 0, bytes = 0;
  bool operator==(const LibraryWork&) const = default;

  static LibraryWork now() { return {emulator_counter("library operations"), emulator_counter("library bytes")}; }
};

void PrintTo(const LibraryWork& w, std::ostream* out) {
  *out << w.operations << " operations, " << w.bytes << " bytes";
}

}  // namespace

TEST_F(Work, ArithmeticOfThreadsThatTakePart) {
  for (const unsigned n : {0u, 1u, 20u, 32u}) {
    start();
    ASSERT_CUDA(launch_arithmetic(x, y, out, static_cast<int>(n), 32, stream));
    EXPECT_EQ(count(), (Counted{4 * n, 2 * n, 0, 16 * n, 8 * n, 0})) << n;
  }
}

TEST_F(Work, LoopsCountAsOftenAsTheyTurn) {
  start();
  ASSERT_CUDA(launch_triangle(x, out, 32, stream));
  const unsigned turns = 32 * 31 / 2;
  EXPECT_EQ(count(), (Counted{2 * turns, 0, 0, 8 * turns, 8 * 32, 0}));
}

TEST_F(Work, BranchesCountWhereTheyAreTaken) {
  start();
  ASSERT_CUDA(launch_two_ways(1.25, out, 32, stream));
  EXPECT_EQ(count(), (Counted{16 * 2 + 16 * 3, 0, 0, 0, 8 * 32, 0}));
}

TEST_F(Work, OnlyDeviceMemoryCountsAsTraffic) {
  for (const bool shared : {false, true}) {
    start();
    ASSERT_CUDA(launch_either_memory(x, shared, out, 32, stream));
    EXPECT_EQ(count(), (Counted{0, 0, 0, shared ? 0u : 8u * 32, 8 * 32, 0})) << shared;
  }
}

TEST_F(Work, AtomicsAndVectors) {
  const DeviceArray<int> sum(std::vector<int>{0});
  start();
  ASSERT_CUDA(launch_atomics_and_pairs(sum, x, out, 32, stream));
  EXPECT_EQ(count(), (Counted{0, 0, 0, 16 * 32, 16 * 32, 32}));
}

TEST_F(Work, SinglePrecisionIsCountedApart) {
  const DeviceArray<float> from(std::vector<float>(32, 2.0f)), to(std::size_t{32});
  start();
  ASSERT_CUDA(launch_single_precision(from, to, 32, stream));
  EXPECT_EQ(count(), (Counted{0, 0, 4 * 32, 4 * 32, 4 * 32, 0}));
}

TEST_F(Work, DoesNotDependOnTheOrder) {
  const emulator::Setting order("EMULATOR_ORDER", "random"), streams("EMULATOR_STREAMS", "lazy");
  start();
  ASSERT_CUDA(launch_arithmetic(x, y, out, 20, 32, stream));
  EXPECT_EQ(Counted::now(), Counted{}) << "nothing has run yet";
  EXPECT_EQ(count(), (Counted{4 * 20, 2 * 20, 0, 16 * 20, 8 * 20, 0}));
}

TEST_F(Work, OfProductsAndTriangles) {
  cublasHandle_t handle = nullptr;
  ASSERT_EQ(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS);
  const DeviceArray<double> a(std::vector<double>(8 * 8, 1.0)), b(std::vector<double>(8 * 8, 1.0)), c(8 * 8);
  const double one = 1, zero = 0;
  start();
  // 3 × 4 by 4 × 5: A, B and C.
  ASSERT_EQ(cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 3, 5, 4, &one, a, 8, b, 8, &zero, c, 8),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(LibraryWork::now(), (LibraryWork{2 * 3 * 4 * 5, 8 * (12 + 20 + 15)}));
  start();
  // A triangle of 6 rows, two right-hand sides read and written.
  ASSERT_EQ(cublasDtrsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 6, 2,
                        &one, a, 8, b, 8),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(LibraryWork::now(), (LibraryWork{6 * 6 * 2, 8 * (21 + 24)}));
  start();
  ASSERT_EQ(cublasDtrsv(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, 6, a, 8, b, 1),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(LibraryWork::now(), (LibraryWork{6 * 6, 8 * (21 + 12)}));
  start();
  ASSERT_EQ(
      cublasDgemmStridedBatched(handle, CUBLAS_OP_T, CUBLAS_OP_N, 2, 2, 3, &one, a, 3, 6, b, 3, 6, &zero, c, 2, 4, 5),
      CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(LibraryWork::now(), (LibraryWork{5 * 2 * 2 * 2 * 3, 5 * 8 * (6 + 6 + 4)}));
  EXPECT_EQ(emulator_counter("library calls"), 1u);
  ASSERT_EQ(cublasDestroy(handle), CUBLAS_STATUS_SUCCESS);
}

TEST_F(Work, OfFactors) {
  cusolverDnHandle_t handle = nullptr;
  ASSERT_EQ(cusolverDnCreate(&handle), CUSOLVER_STATUS_SUCCESS);
  std::vector<double> identity(6 * 6, 0.0);
  for (int i = 0; i < 6; ++i) identity[7 * i] = 1;
  const DeviceArray<double> first(identity), second(identity);
  const DeviceArray<double*> matrices(std::vector<double*>{first, second});
  const DeviceArray<int> infos(std::size_t{2});
  start();
  ASSERT_EQ(cusolverDnDpotrfBatched(handle, CUBLAS_FILL_MODE_LOWER, 6, matrices, 6, infos, 2),
            CUSOLVER_STATUS_SUCCESS);
  EXPECT_EQ(LibraryWork::now(), (LibraryWork{2 * 6 * 6 * 6 / 3, 2 * 8 * 2 * 21}));
  ASSERT_EQ(cusolverDnDestroy(handle), CUSOLVER_STATUS_SUCCESS);
}
