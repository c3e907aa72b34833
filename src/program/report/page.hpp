#pragma once

#include <string>
#include <string_view>

#include "program/support/json.hpp"

namespace carbo::program {

/// Parts of the page as they lie in page/, put into the program when it is built.
namespace page_parts {
extern const std::string_view html;  ///< with {{title}}, {{style}}, {{data}} and {{script}}
extern const std::string_view style;
extern const std::string_view scripts;  ///< in the order in which they run
}  // namespace page_parts

/// One HTML file that needs nothing else. `data`: {"kind": ..., "studies": [...]}, see study_data.
std::string page_html(std::string_view title, const Json& data);

/// For text and attributes of HTML.
std::string html_escaped(std::string_view text);
/// JSON that may stand in a script element, whatever its texts are.
std::string script_json(const Json& json);

}  // namespace carbo::program
