#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "driver/random_driver.hpp"
#include "support/sanitized.hpp"

// Random studies: see RandomDriver. CARBO_DRIVER_OPERATIONS is the number of calls, CARBO_DRIVER_SEED the first
// study, CARBO_DRIVER_EXTREMES=1 turns on all of Extremes.
namespace carbo::test {
namespace {

std::uint64_t number_from(const char* variable, std::uint64_t usual) {
  const char* const given = std::getenv(variable);
  return given == nullptr ? usual : std::strtoull(given, nullptr, 10);
}

TEST(RandomDriver, KeepsEveryPromise) {
  const std::uint64_t wanted = number_from("CARBO_DRIVER_OPERATIONS", sanitized ? 2500 : 21000);
  const std::uint64_t first = number_from("CARBO_DRIVER_SEED", 1);
  Extremes extremes;
  if (number_from("CARBO_DRIVER_EXTREMES", 0) == 1) extremes = {true, true, true};
  Operations total;
  std::uint64_t seed = first;
  for (; total.all() < wanted; ++seed) {
    try {
      RandomDriver driver(seed, extremes);
      driver.run(seed % 5 == 0 ? 150 : 50);  // what is wrong shows in short studies too, which are many times cheaper
      total.add(driver.operations());
    } catch (const std::exception& error) {
      FAIL() << "study " << seed << " (CARBO_DRIVER_SEED=" << seed << "): " << error.what();
    }
  }
  std::printf(
      "studies %llu to %llu: %llu calls (%llu ask, %llu rank, %llu tell, %llu fail, %llu withdraw, %llu "
      "unsuggested, %llu refused, %llu adopt, %llu enqueue, %llu of the models, %llu restored), %llu suggestions, "
      "%llu of them as "
      "ranked before\n",
      static_cast<unsigned long long>(first), static_cast<unsigned long long>(seed - 1),
      static_cast<unsigned long long>(total.all()), static_cast<unsigned long long>(total.asks),
      static_cast<unsigned long long>(total.ranks), static_cast<unsigned long long>(total.tells),
      static_cast<unsigned long long>(total.failures), static_cast<unsigned long long>(total.withdrawals),
      static_cast<unsigned long long>(total.unsuggested), static_cast<unsigned long long>(total.refused),
      static_cast<unsigned long long>(total.adopted), static_cast<unsigned long long>(total.enqueued),
      static_cast<unsigned long long>(total.knowledge), static_cast<unsigned long long>(total.restores),
      static_cast<unsigned long long>(total.suggestions), static_cast<unsigned long long>(total.searched));
  EXPECT_GE(total.all(), wanted);
  EXPECT_GT(total.searched, 0u);
}

}  // namespace
}  // namespace carbo::test
