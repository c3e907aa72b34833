#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "replay/run.hpp"

namespace carbo::replay {

/// A folder of the test that runs, removed with it.
class ReplayFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    path = std::filesystem::temp_directory_path() /
           (std::string("carbo_replay_") + info->name() + "_" + std::to_string(std::random_device{}()));
    std::filesystem::create_directories(path);
  }
  void TearDown() override { std::filesystem::remove_all(path); }

  std::filesystem::path file_with(const std::string& text) const {
    std::ofstream(path / "table.csv", std::ios::trunc) << text;
    return path / "table.csv";
  }

  std::filesystem::path path;
};

inline std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

inline RunRecord hand_made_run() {
  RunRecord run{.key = {"p", "m", 3, 1, 64, 10.0}, .steps = {}, .spent = 11, .seconds = 0.5};
  run.steps = {{carbo::Phase::warm_start, 0, 4, 4, 1.5, 1.0, 1.0, 7},
               {carbo::Phase::design, 0, 1, 5, 1.25, 0.75, 0.75, {}},
               {carbo::Phase::search, 0.5, 6, 11, 0.1, 0.01, 0.01, 0}};
  return run;
}

}  // namespace carbo::replay
