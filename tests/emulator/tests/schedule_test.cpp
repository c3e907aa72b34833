// What must come out the same under every order of threads and blocks and every schedule of streams.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <tuple>

#include "algorithms.hpp"
#include "device_array.hpp"
#include "language.hpp"
#include "plain.hpp"

namespace {

using emulator::Setting;

struct Schedule {
  const char *order, *streams;
  int seed;
};

void PrintTo(const Schedule& s, std::ostream* out) { *out << s.order << ' ' << s.streams << ' ' << s.seed; }

class Schedules : public ::testing::TestWithParam<Schedule> {
 private:
  Setting seed_{"EMULATOR_SEED", std::to_string(GetParam().seed)};
  Setting order_{"EMULATOR_ORDER", GetParam().order};
  Setting streams_{"EMULATOR_STREAMS", GetParam().streams};

 protected:
  Stream stream;
};

INSTANTIATE_TEST_SUITE_P(All, Schedules,
                         ::testing::Values(Schedule{"ascending", "eager", 1}, Schedule{"descending", "lazy", 0},
                                           Schedule{"random", "lazy", 1}, Schedule{"random", "lazy", 2}),
                         [](const auto& info) {
                           return std::string(info.param.order) + "_" + info.param.streams + "_" +
                                  std::to_string(info.param.seed);
                         });

// What the switch in launch_branches does, written apart.
int after_branches(int x, int kind, int rounds) {
  for (int i = 0; i < rounds; ++i, kind = (kind + 1) % 8) {
    const int results[8] = {x * 3 + 1, x ^ 0x55, __builtin_popcount(x), x / 7, x ? __builtin_clz(x) : 32, -x,
                            x % 5 + i, x + 100};
    x = results[kind];
  }
  return x;
}

}  // namespace

TEST_P(Schedules, MemoryOfOneThread) {
  const DeviceArray<int> from(counted(64)), to(64);
  ASSERT_CUDA(launch_local_array(from, to, 5, stream));
  const auto moved = to.values();
  for (int i = 0; i < 64; ++i) EXPECT_EQ(moved[i], (i + 5) % 64);
  const DeviceArray<int> depth(1);
  ASSERT_CUDA(launch_recursion(40, depth, stream));
  EXPECT_EQ(depth.values()[0], 40);
  ASSERT_CUDA(launch_address_initialiser(depth, stream));
  EXPECT_EQ(depth.values()[0], 30);
  const auto order = counted(32);
  const DeviceArray<double> pairs(std::vector<double>(order.begin(), order.end())), swapped(32);
  ASSERT_CUDA(launch_vectors(pairs, swapped, stream));
  const auto result = swapped.values();
  for (int i = 0; i < 32; ++i) EXPECT_EQ(result[i], i ^ 1);
}

TEST_P(Schedules, WarpFunctions) {
  const DeviceArray<unsigned> device(warp_results);
  ASSERT_CUDA(launch_warp_functions(device, stream));
  const auto out = device.values();
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(out[lane], 0xffu << lane / 8 * 8);
    EXPECT_EQ(out[32 + lane], 0x49249249u);
    EXPECT_EQ(out[64 + lane], 3u);
    EXPECT_EQ(out[96 + lane], lane ? lane - 1 : 0);
    EXPECT_EQ(out[128 + lane], lane < 16 ? lane ^ 3 : lane ^ 5);
    EXPECT_EQ(out[160 + lane], 216u);
  }
}

TEST_P(Schedules, Integers) {
  const long long a = 0x123456789abcdefll, b = 987654321012345ll;
  const DeviceArray<long long> pair(std::vector<long long>{a, b});
  const DeviceArray<unsigned long long> out(integer_results);
  ASSERT_CUDA(launch_integers(pair, out, stream));
  const auto result = out.values();
  const auto product = static_cast<unsigned __int128>(a) * b;
  const auto negative = static_cast<__int128>(-a) * b;
  unsigned long long reversed = 0;
  for (int i = 0; i < 64; ++i)
    if (a >> i & 1) reversed |= 1ull << (63 - i);
  const auto low_a = static_cast<unsigned>(a), low_b = static_cast<unsigned>(b);
  EXPECT_EQ(result[0], static_cast<unsigned long long>(product >> 64));
  EXPECT_EQ(result[1], static_cast<unsigned long long>(negative >> 64));
  EXPECT_EQ(result[2], static_cast<unsigned long long>(a / b + a % b));
  EXPECT_EQ(result[3], reversed ^ __builtin_clzll(b) ^ __builtin_popcountll(a) ^ __builtin_ffsll(b));
  EXPECT_EQ(result[4], (low_b << 9 | low_a >> 23) + ((low_a & 0xffff) | low_b << 16));
  EXPECT_EQ(result[5], result[0]);
}

TEST_P(Schedules, Branches) {
  std::vector<int> start(64);
  for (int i = 0; i < 64; ++i) start[i] = 1000 * i;
  const DeviceArray<int> from(start), to(64);
  ASSERT_CUDA(launch_branches(from, to, 13, stream));
  const auto result = to.values();
  for (int i = 0; i < 64; ++i) EXPECT_EQ(result[i], after_branches(start[i], i % 8, 13));
}

// CUDA's functions in double precision err by at most 4 units in the last place (the C++ programming guide lists 2
// for most of them), the host's by 1; lgamma is compared away from its zeros, and log and expm1 relative to their own
// size.
TEST_P(Schedules, MathFunctions) {
  const int n = 32;
  std::vector<double> x(n);
  for (int i = 0; i < n; ++i) x[i] = 2.2 + 0.137 * i;
  const DeviceArray<double> in(x), out(math_functions * n);
  ASSERT_CUDA(launch_math(in, out, n, stream));
  const auto result = out.values();
  for (int i = 0; i < n; ++i) {
    const double v = x[i];
    const double expected[math_functions] = {std::exp(v),  std::log(v),    std::expm1(-v),     std::log1p(v),
                                             std::sqrt(v), std::erfc(v),   std::pow(v, 2.3),   std::sin(1e6 * v),
                                             std::tanh(v), std::lgamma(v), std::fma(v, v, -v), 1.0 / (v + 0.3)};
    for (int f = 0; f < math_functions; ++f) {
      const double tolerance = 8 * 2.3e-16 * std::max(std::abs(expected[f]), f == 9 ? 1.0 : 0.0);
      EXPECT_NEAR(result[f * n + i], expected[f], tolerance) << "function " << f << " at " << v;
    }
  }
}

TEST_P(Schedules, BlocksThatWaitForBlocks) {
  const int blocks = 40;
  const DeviceArray<int> lock(std::vector<int>(2, 0)), done(std::vector<int>(blocks + 1, 0));
  ASSERT_CUDA(launch_locked_sum(blocks, lock, lock + 1, stream));
  EXPECT_EQ(lock.values(), (std::vector<int>{0, blocks * (blocks - 1) / 2}));
  ASSERT_CUDA(launch_backward_chain(blocks, done, stream));
  EXPECT_EQ(done.values()[0], blocks);
}

TEST_P(Schedules, EventsOrderStreams) {
  const int n = 1000;
  const DeviceArray<int> a(n), b(n);
  const Stream reader;
  cudaEvent_t written = nullptr;
  ASSERT_CUDA(cudaEventCreateWithFlags(&written, cudaEventDisableTiming));
  ASSERT_CUDA(launch_fill(a, n, 41, stream));
  ASSERT_CUDA(cudaEventRecord(written, stream));
  ASSERT_CUDA(cudaStreamWaitEvent(reader, written, 0));
  ASSERT_CUDA(launch_add_one(a, b, n, reader));
  reader.wait();
  EXPECT_EQ(b.values(), std::vector<int>(n, 42));
  ASSERT_CUDA(cudaEventDestroy(written));
}

TEST_P(Schedules, CubAndThrust) {
  const int n = 3000;
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  std::vector<double> keys(n);
  for (double& key : keys) key = uniform(generator);
  std::vector<double> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  const DeviceArray<double> k(keys), k2(n);
  const DeviceArray<int> v(counted(n)), v2(n);
  std::size_t bytes = 0;
  ASSERT_CUDA(sort_pairs(nullptr, bytes, k, k2, v, v2, n, stream));
  const DeviceArray<char> workspace(bytes);
  ASSERT_CUDA(sort_pairs(workspace, bytes, k, k2, v, v2, n, stream));
  const auto permutation = v2.values();
  EXPECT_EQ(k2.values(), sorted);
  for (int i = 0; i < n; ++i) ASSERT_EQ(keys[permutation[i]], sorted[i]);

  const int above = select_above(k, v2, n, 0.25, stream);
  std::vector<int> expected;
  for (int i = 0; i < n; ++i)
    if (keys[i] > 0.25) expected.push_back(i);
  auto selected = v2.values();
  selected.resize(above);
  EXPECT_EQ(selected, expected);
  const double squares = std::inner_product(keys.begin(), keys.end(), keys.begin(), 0.0);
  EXPECT_NEAR(sum_of_squares(k, n, stream), squares, n * 2.3e-16 * squares);  // n roundings in either order

  // The kernel of one module must not be taken for the kernel of the same name in the other.
  ASSERT_CUDA(scale_in_first_module(k2, n, 2.0, stream));
  ASSERT_CUDA(scale_in_second_module(k2, n, -4.0, stream));
  EXPECT_EQ(k2.values()[0], -8.0 * sorted[0]);
}
