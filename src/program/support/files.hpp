#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace carbo::program {

/// Throws carbo::Error naming the file and why.
std::string read_whole_file(const std::filesystem::path& file);
/// A new file; throws carbo::Error where there is one already.
void write_new_file(const std::filesystem::path& file, std::string_view text);
/// A new file or in place of one: whoever reads sees the old text or the new one, whole. Throws as above.
void replace_file(const std::filesystem::path& file, std::string_view text);

}  // namespace carbo::program
