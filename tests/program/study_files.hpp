#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "program/file/study_file.hpp"

namespace carbo::program::testing {

inline StudyFile parsed(const std::string& text, const std::filesystem::path& folder = "") {
  return parse_study_file("study.toml", text, folder);
}

/// What is said of a file that cannot be understood.
inline std::string fault(const std::string& text, const std::filesystem::path& folder = "") {
  try {
    parsed(text, folder);
  } catch (const StudyFileError& error) {
    return error.what();
  }
  return "no fault";
}

inline const std::string small = "budget = \"2h\"\n[parameters]\nn = \"1..19\"\n";

inline void expect_fault(const std::string& text, const std::string& place, const std::vector<std::string>& words) {
  const std::string message = fault(text);
  EXPECT_TRUE(message.starts_with(place)) << message << "\nof\n" << text;
  for (const std::string& each : words) EXPECT_NE(message.find(each), std::string::npos) << each << " in " << message;
}

}  // namespace carbo::program::testing
