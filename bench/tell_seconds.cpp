// What a tell takes in C++, for bench/peers/tell_overhead.py to compare with: medians in microseconds, of a point of
// the caller's and of a suggestion, over 2,000 each.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include <carbo/carbo.hpp>

namespace {

template <class Call>
double microseconds(const Call& call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

double middle(std::vector<double>& times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

}  // namespace

int main() {
  const carbo::Space space{carbo::real("x", 0, 1), carbo::integer("n", 1, 9)};
  carbo::Optimizer optimizer(space, {.budget = 1e9, .seed = 1, .acquisition = carbo::Acquisition::random});
  std::vector<double> given, suggested;
  constexpr int count = 2000;
  for (int i = 0; i < count; ++i) {
    carbo::Observation seen;
    seen.configuration = space.configuration({{"x", i / double{count}}, {"n", std::int64_t{1 + i % 9}}});
    seen.origin = carbo::Origin::prior;
    seen.objective = seen.cost = 1.0;
    given.push_back(microseconds([&] { optimizer.tell(seen); }));
  }
  for (int i = 0; i < count; ++i) {
    const carbo::Suggestion one = optimizer.ask(1).front();
    suggested.push_back(microseconds([&] { optimizer.tell(one.id, {1.0, 1.0}); }));
  }
  std::printf("%.3f %.3f\n", middle(given), middle(suggested));
}
