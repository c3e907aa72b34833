#include "program/report/page.hpp"

#include <map>

namespace carbo::program {

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else
      out += c;
  }
  return out;
}

std::string script_json(const Json& json) {
  const std::string text = json_line(json);
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    // Outside texts JSON has none of them.
    if (c == '<')
      out += "\\u003c";
    else if (c == '>')
      out += "\\u003e";
    else if (c == '&')
      out += "\\u0026";
    else
      out += c;
  }
  return out;
}

std::string page_html(std::string_view title, const Json& data) {
  const std::map<std::string_view, std::string> parts{{"title", html_escaped(title)},
                                                      {"style", std::string(page_parts::style)},
                                                      {"data", script_json(data)},
                                                      {"script", std::string(page_parts::scripts)}};
  std::string out;
  std::string_view rest = page_parts::html;
  while (true) {
    const std::size_t begin = rest.find("{{");
    out += rest.substr(0, begin);
    if (begin == std::string_view::npos) return out;
    const std::size_t end = rest.find("}}", begin);
    out += parts.at(rest.substr(begin + 2, end - begin - 2));
    rest.remove_prefix(end + 2);
  }
}

}  // namespace carbo::program
