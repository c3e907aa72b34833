#include <cstdlib>
#include <functional>
#include <new>

#include "c/scene.hpp"

// Host memory that runs out, wherever it may. The library allocates through the program's operator new, this one.
namespace {

/// The allocation of this thread that fails, counted down to; 0: none.
thread_local long failing_allocation = 0;

void* allocate(std::size_t bytes) {
  if (failing_allocation > 0 && --failing_allocation == 0) throw std::bad_alloc();
  if (void* const memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
// Whoever asks in this way can do without.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return std::malloc(bytes > 0 ? bytes : 1); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return std::malloc(bytes > 0 ? bytes : 1); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace c_scene;

/// Lets every allocation of the call fail in turn, all of the first ones and then ever fewer, until it comes through.
/// Returns how often it failed.
int fail_in_turn(const std::function<carbo_status()>& call, const std::function<void()>& check) {
  int failures = 0;
  for (long k = 1;; k += 1 + k / 16) {
    failing_allocation = k;
    const carbo_status status = call();
    const bool reached = failing_allocation == 0;
    failing_allocation = 0;
    if (!reached) {
      EXPECT_EQ(status, CARBO_OK) << thread_message();
      return failures;
    }
    ++failures;
    expect_failure(status, CARBO_OUT_OF_HOST_MEMORY, {"memory"});
    check();
    if (testing::Test::HasFailure()) return failures;
  }
}

/// Streams swallow what is thrown inside them, so that a selector may come into being all the same where the
/// allocation belonged to a message that nobody reads.
TEST(CMemory, ASelectorIsMadeOrItIsNot) {
  const carbo_selector_options options = some_options(3);
  int failures = 0;
  for (long k = 1; k > 0; ++k) {
    carbo_selector* selector = nullptr;
    failing_allocation = k;
    const carbo_status status = carbo_selector_create(&options, &selector);
    if (failing_allocation > 0) k = -1;
    failing_allocation = 0;
    EXPECT_EQ(status == CARBO_OK, selector != nullptr);
    if (status == CARBO_OK) {
      EXPECT_EQ(carbo_selector_destroy(selector), CARBO_OK);
    } else {
      ++failures;
      expect_failure(status, CARBO_OUT_OF_HOST_MEMORY, {"memory"});
    }
  }
  EXPECT_GT(failures, 5);
}

TEST(CMemory, CallsThatFailForWantOfMemoryChangeNothing) {
  Scene expected, scene;
  const std::vector<std::int64_t> more = {30, 31};
  const std::vector<double> values = {0.5, 0.25};
  const carbo_indices which = host(more);
  const carbo_vector objectives = host(values), costs = host(values);
  const carbo_matrix pool = scene.pool();
  std::int64_t observations = 12, available = 60;
  const auto unchanged = [&] {
    EXPECT_EQ(scene.info().observations, observations);
    EXPECT_EQ(scene.info().available, available);
    EXPECT_EQ(scene.info().running, 0);
  };
  available = 48;
  EXPECT_GT(fail_in_turn([&] { return carbo_selector_append_rows(scene.selector, &which, &objectives, &costs); },
                         unchanged),
            3);
  observations = 14;
  available = 46;
  EXPECT_GT(fail_in_turn([&] { return carbo_selector_set_pool(scene.selector, &pool, nullptr); }, unchanged), 3);
  ASSERT_EQ(carbo_selector_append_rows(expected.selector, &which, &objectives, &costs), CARBO_OK);
  ASSERT_EQ(carbo_selector_set_pool(expected.selector, &pool, nullptr), CARBO_OK);
  EXPECT_EQ(scene.suggest(3), expected.suggest(3));
}

TEST(CMemory, PicksThatFailForWantOfMemoryAreGivenBack) {
  Scene expected, scene;
  ASSERT_EQ(carbo_selector_fit(expected.selector, nullptr), CARBO_OK);
  EXPECT_GT(fail_in_turn([&] { return carbo_selector_fit(scene.selector, nullptr); }, [] {}), 10);
  std::vector<std::int64_t> rows(3, -1);
  const carbo_index_room output = room(rows);
  const carbo_pick_request request = picks(3);
  std::int64_t written = -1;
  EXPECT_GT(fail_in_turn([&] { return carbo_selector_suggest(scene.selector, &request, &output, nullptr, &written); },
                         [&] {
                           EXPECT_EQ(written, -1);
                           EXPECT_EQ(scene.info().running, 0);
                           EXPECT_EQ(scene.info().available, 48);
                         }),
            10);
  EXPECT_EQ(rows, expected.suggest(3));
}

}  // namespace
