#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <carbo/space.hpp>

namespace resumed_tuning {

/// All settings of xz's delta and LZMA2 filters that are searched.
carbo::Space search_space();

/// What follows `xz` on the command line to compress standard input with a configuration.
std::vector<std::string> filter_arguments(const carbo::Configuration& configuration);

struct Compression {
  std::size_t bytes = 0;
  double cpu_seconds = 0;  ///< above 0
  std::string error;       ///< empty where xz succeeded
};

/// Runs `xz` over a file and counts what comes out.
Compression compress(const std::vector<std::string>& arguments, const std::string& file);

/// Compresses `file`, decompresses the result again and compares it with `data`. Returns an empty string where they
/// are identical, and otherwise what went wrong.
std::string verify(const std::vector<std::string>& arguments, const std::string& file, const std::string& data);

/// A command for a shell that writes the compressed file to `output`.
std::string shell_command(const std::vector<std::string>& arguments, const std::string& file,
                          const std::string& output);

}  // namespace resumed_tuning
