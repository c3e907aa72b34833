#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <carbo/space.hpp>

namespace carbo::program {

/// What stands for `{name}`.
using Words = std::map<std::string, std::string, std::less<>>;

/// A parameter's value as a command is given it: the shortest number that reads back to the same one, whole ones
/// without a point, or the label.
std::string value_text(const Configuration& configuration, std::string_view parameter);
Words value_texts(const Configuration& configuration);

enum class Quoting { none, shell };

/// `pattern` with `{name}` replaced and `{{`, `}}` as braces. Throws InvalidOptions at an unknown name, with those
/// that are known, and at a brace without its other half.
std::string expand(std::string_view pattern, const Words& words, Quoting quoting = Quoting::none);

/// The names in it, in order; throws InvalidOptions at a brace without its other half.
std::vector<std::string> placeholders(std::string_view pattern);

/// One word for /bin/sh, whatever is in it.
std::string shell_quoted(std::string_view word);

/// The same as one would type it: in quotes only where a shell would make something of a character. `harmless`:
/// further ones that need none.
std::string typed_word(std::string_view word, std::string_view harmless = "");

}  // namespace carbo::program
