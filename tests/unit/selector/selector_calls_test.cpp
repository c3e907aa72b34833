#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/selector_errors.hpp"

// Settings and calls that a selector cannot work with: a typed error, and everything as it was.
namespace carbo {
namespace {

using namespace test;

using SelectorCalls = SelectorErrors;

TEST_F(SelectorCalls, RequestsOutOfRange) {
  const auto refused = [&](const PickRequest& request, const std::vector<std::string>& parts) {
    const PickOutput output{host_index_room(rows_.data(), rows_.size())};
    expect_error<InvalidOptions>([&] { selector_.suggest(request, output); }, parts);
    expect_error<InvalidOptions>([&] { selector_.design(request, output); }, parts);
  };
  refused({.count = 0}, {"count is 0"});
  refused({.count = 61}, {"count is 61", "60"});
  for (const double alpha : {-0.1, 1.1, not_a_number}) {
    expect_error<InvalidOptions>([&] { suggest(selector_, {.alpha = alpha}); }, {"alpha", "0 to 1"});
    expect_error<InvalidOptions>([&] { dense_scores(selector_, {.alpha = alpha}); }, {"alpha"});
  }
  for (const double limit : {0.0, -1.0, not_a_number}) refused({.cost_limit = limit}, {"cost_limit", "above 0"});
}

TEST_F(SelectorCalls, CallsBeforeTheirTime) {
  Selector fresh(scene_.options());
  const PickOutput output{host_index_room(rows_.data(), 1)};
  expect_error<InvalidOptions>([&] { fresh.suggest({}, output); }, {"no pool", "set_pool"});
  expect_error<InvalidOptions>([&] { fresh.design({}, output); }, {"no pool", "set_pool"});
  expect_error<InvalidOptions>([&] { fresh.scores({}); }, {"no pool", "set_pool"});
  EXPECT_EQ(fresh.pool_size(), 0u);
  fresh.set_pool({scene_.rows()});
  expect_error<InvalidObservation>([&] { fresh.suggest({}, output); }, {"suggest", "nothing was observed"});
  expect_error<InvalidObservation>([&] { fresh.design({}, output); }, {"design", "nothing was observed"});
  expect_error<InvalidObservation>([&] { fresh.scores({}); }, {"scores", "nothing was observed"});
  expect_error<InvalidObservation>([&] { fresh.fit(); }, {"fit", "nothing was observed"});
  fresh.append(scene_.observations());
  Selector untouched = scene_.ready();
  expect_same_picks(suggest(fresh, {.count = 3}), suggest(untouched, {.count = 3}), 0);
}

TEST_F(SelectorCalls, RowsThatAreNotRunning) {
  const std::int64_t stranger = 7;
  expect_error<UnknownSuggestion>([&] { selector_.withdraw(host_indices(&stranger, 1)); }, {"row 7", "not running"});
  Selector other = scene_.ready();
  Picked picked = suggest(other, {.count = 2});
  const std::int64_t mixed[] = {picked.rows[0], picked.rows[0] == 7 ? 8 : 7};
  expect_error<UnknownSuggestion>([&] { other.withdraw(host_indices(mixed, 2)); }, {"not running"});
  EXPECT_EQ(other.running(), 2u);
  const std::int64_t twice[] = {picked.rows[0], picked.rows[0]};
  other.withdraw(host_indices(twice, 2));
  EXPECT_EQ(other.running(), 1u);
  EXPECT_EQ(other.available(), 59u);
}

TEST_F(SelectorCalls, ASelectorThatWasMovedFrom) {
  Selector source = scene_.ready();
  const Selector taken = std::move(source);
  const std::vector<std::string> parts = {"moved from"};
  expect_error<InvalidOptions>([&] { source.set_pool({scene_.rows()}); }, parts);
  expect_error<InvalidOptions>([&] { source.append(scene_.observations()); }, parts);
  expect_error<InvalidOptions>([&] { source.fit(); }, parts);
  expect_error<InvalidOptions>([&] { suggest(source, {}); }, parts);
  expect_error<InvalidOptions>([&] { design(source, {}); }, parts);
  expect_error<InvalidOptions>([&] { source.scores({}); }, parts);
  expect_error<InvalidOptions>([&] { source.withdraw({}); }, parts);
  expect_error<InvalidOptions>([&] { (void)source.pool_size(); }, parts);
}

TEST_F(SelectorCalls, OptionsOutOfRange) {
  const auto refused = [&](const auto& change, const std::vector<std::string>& parts) {
    SelectorOptions options = scene_.options();
    change(options);
    expect_error<InvalidOptions>([&] { Selector{options}; }, parts);
  };
  refused([](SelectorOptions& o) { o.columns = 0; }, {"columns is 0", "1 to 100"});
  refused([](SelectorOptions& o) { o.columns = 101; }, {"columns is 101", "1 to 100"});
  refused([](SelectorOptions& o) { o.columns = 4; }, {"surrogate.fixed.lengthscales"});
  const std::size_t huge = std::size_t{1} << 62;
  for (const std::size_t wrong : {std::size_t{0}, std::size_t{65537}, huge}) {
    refused([=](SelectorOptions& o) { o.fantasies.count = wrong; }, {"fantasies.count", "1 to 65536"});
    refused([=](SelectorOptions& o) { o.surrogate.restarts = wrong == 65537 ? 1025 : wrong; },
            {"surrogate.restarts", "1 to 1024"});
  }
  for (const std::size_t wrong : {std::size_t{4097}, huge})
    refused([=](SelectorOptions& o) { o.backend.threads = wrong; }, {"backend.threads", "1 to 4096"});
  refused([](SelectorOptions& o) { o.surrogate.noise_floor = -1; }, {"surrogate.noise_floor"});
  refused([](SelectorOptions& o) { o.cost = {.model = CostModelKind::linear, .features = {work("x3")}}; }, {"x3"});
  refused([](SelectorOptions& o) { o.cost = {.model = CostModelKind::known}; }, {"cost.known"});
}

/// A cost function that waits inside a call until it is let go.
TEST_F(SelectorCalls, ACallWhileAnotherRuns) {
  std::promise<void> entered, let_go;
  bool waits = true;
  SelectorOptions options = scene_.options();
  options.cost = {.model = CostModelKind::known};
  options.cost.known = [&](const Configuration& x) {
    if (std::exchange(waits, false)) {
      entered.set_value();
      let_go.get_future().wait();
    }
    return some_cost({x.real("x0"), x.real("x1"), x.real("x2")});
  };
  Selector selector = scene_.ready(options);
  std::thread other([&] { EXPECT_EQ(suggest(selector, {.count = 2}).rows.size(), 2u); });
  entered.get_future().wait();
  const std::vector<std::string> parts = {"has not returned", "one thread at a time"};
  expect_error<ConcurrentCall>([&] { selector.append(scene_.observations()); }, parts);
  expect_error<ConcurrentCall>([&] { suggest(selector, {}); }, parts);
  expect_error<ConcurrentCall>([&] { selector.set_pool({scene_.rows()}); }, parts);
  expect_error<ConcurrentCall>([&] { (void)selector.available(); }, parts);
  let_go.set_value();
  other.join();
  EXPECT_EQ(selector.observations(), scene_.tried.size());
  EXPECT_EQ(selector.running(), 2u);
}

}  // namespace
}  // namespace carbo
