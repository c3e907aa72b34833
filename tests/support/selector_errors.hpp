#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <carbo/error.hpp>
#include <carbo/selector.hpp>

#include "support/expect_refused.hpp"
#include "support/selector_scene.hpp"

namespace carbo::test {

/// A selector with a pool and observations, which every test leaves as if nothing had happened.
class SelectorErrors : public testing::Test {
 protected:
  ~SelectorErrors() override {
    EXPECT_EQ(selector_.pool_size(), scene_.pool.size());
    EXPECT_EQ(selector_.available(), scene_.pool.size());
    EXPECT_EQ(selector_.running(), 0u);
    EXPECT_EQ(selector_.observations(), scene_.tried.size());
    Selector untouched = scene_.ready();
    expect_same_picks(suggest(selector_, {.count = 4}), suggest(untouched, {.count = 4}), 0);
  }

  void pool_refused(InvalidArray::Reason reason, const std::vector<std::string>& parts, const SelectorPool& pool) {
    expect_refused(reason, parts, [&] { selector_.set_pool(pool); });
  }
  void append_refused(InvalidArray::Reason reason, const std::vector<std::string>& parts,
                      const Observations& observations) {
    expect_refused(reason, parts, [&] { selector_.append(observations); });
  }
  template <class Error>
  void append_throws(const std::vector<std::string>& parts, const Observations& observations) {
    expect_error<Error>([&] { selector_.append(observations); }, parts);
  }
  void suggest_refused(InvalidArray::Reason reason, const std::vector<std::string>& parts, const PickOutput& output,
                       std::size_t count = 3) {
    expect_refused(reason, parts, [&] { selector_.suggest({.count = count}, output); });
  }

  const SelectorScene scene_{60, 16};
  Selector selector_ = scene_.ready();
  std::vector<std::int64_t> rows_ = std::vector<std::int64_t>(60);
  std::vector<double> scores_ = std::vector<double>(60);
};

}  // namespace carbo::test
