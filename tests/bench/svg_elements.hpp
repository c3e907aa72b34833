#pragma once

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

/// Reads drawn documents apart from the code that writes them.
namespace svg_elements {

struct Point {
  double x = 0, y = 0;
};

struct Element {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  ///< what follows the opening tag

  double number(const std::string& attribute) const { return std::strtod(attributes.at(attribute).c_str(), nullptr); }
  std::vector<Point> points() const {
    std::vector<Point> result;
    const std::string& list = attributes.at("points");
    for (std::size_t at = 0; at < list.size(); at = list.find(' ', at) + 1) {
      result.push_back(
          {std::strtod(list.c_str() + at, nullptr), std::strtod(list.c_str() + list.find(',', at) + 1, nullptr)});
      if (list.find(' ', at) == std::string::npos) break;
    }
    return result;
  }
};

/// Every element is closed, in order. Attributes hold no angle brackets.
inline bool well_formed(const std::string& document) {
  std::vector<std::string> open;
  for (std::size_t at = document.find('<'); at != std::string::npos; at = document.find('<', at + 1)) {
    const std::size_t end = document.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = document.substr(at + 1, end - at - 1);
    const std::string name =
        tag.substr(tag.front() == '/' ? 1 : 0, tag.find_first_of(" /", 1) - (tag.front() == '/'));
    if (tag.front() == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
  }
  return open.empty();
}

/// Opening tags in their order.
inline std::vector<Element> elements(const std::string& document) {
  std::vector<Element> result;
  for (std::size_t at = document.find('<'); at != std::string::npos; at = document.find('<', at + 1)) {
    if (document[at + 1] == '/') continue;
    const std::size_t end = document.find('>', at);
    Element element;
    std::size_t place = document.find_first_of(" />", at);
    element.name = document.substr(at + 1, place - at - 1);
    for (std::size_t equals = document.find("=\"", place); equals < end; equals = document.find("=\"", place)) {
      const std::size_t name = document.find_first_not_of(' ', place);
      const std::size_t close = document.find('"', equals + 2);
      element.attributes[document.substr(name, equals - name)] = document.substr(equals + 2, close - equals - 2);
      place = close + 1;
    }
    element.text = document.substr(end + 1, document.find('<', end) - end - 1);
    result.push_back(element);
  }
  return result;
}

/// Those of one name, of one colour where one is given.
inline std::vector<Element> named(const std::string& document, const std::string& name,
                                  const std::string& colour = "") {
  std::vector<Element> result;
  for (const Element& element : elements(document)) {
    const auto has = [&](const char* attribute) {
      return element.attributes.count(attribute) && element.attributes.at(attribute) == colour;
    };
    if (element.name == name && (colour.empty() || has("stroke") || has("fill"))) result.push_back(element);
  }
  return result;
}

/// Texts that read so.
inline std::vector<Element> texts(const std::string& document, const std::string& wanted) {
  std::vector<Element> result;
  for (const Element& element : named(document, "text"))
    if (element.text == wanted) result.push_back(element);
  return result;
}

}  // namespace svg_elements
