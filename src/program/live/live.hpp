#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "program/commands/commands.hpp"

namespace carbo::program {

/// The page of a study while it runs, over HTTP.
struct LiveArguments {
  StudyArgument which;
  std::optional<std::uint16_t> port;  ///< 0: a free one
  std::string address = "127.0.0.1";
  std::string token;  ///< empty: drawn, where one is needed
  bool control = false;
};
Exit serve_page(Terminal& terminal, const LiveArguments& arguments);

}  // namespace carbo::program
