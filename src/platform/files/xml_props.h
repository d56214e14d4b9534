// The <prop> elements of one element, and errors about them.
#pragma once

#include <fmt/core.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "platform/files/xml_shape.h"

namespace foreflow::platform {

// True when `word` is a probable misspelling of `known`: one letter too many, too few or wrong, two neighbouring
// letters swapped, or a difference in case.
bool looks_like(std::string_view word, std::string_view known);

class Props {
 public:
  // `known` are the names that are read. Other names are ignored, unless they look like a misspelling. Throws Error at
  // a misspelling and at a name that occurs twice. `peak_...` is known on hosts. `node` and `source` must outlive this.
  Props(const pugi::xml_node& node, const std::vector<std::string_view>& known, const XmlSource& source);

  // Throws Error that begins with the element: link "a": ...
  [[noreturn]] void fail(const std::string& what) const {
    source_.fail(node_, fmt::format("{} \"{}\": {}", node_.name(), node_.attribute("id").value(), what));
  }

  const std::map<std::string, std::string, std::less<>>& all() const { return props_; }
  // Null when there is none.
  const std::string* find(std::string_view id) const;
  const std::string& required(std::string_view id, std::string_view example) const;

  double number(std::string_view what, const std::string& value) const;
  int whole_number(std::string_view what, const std::string& value, int least) const;

  template <class Parse>
  auto quantity(std::string_view what, const std::string& value, Parse parse) const {
    try {
      return parse(value, "");
    } catch (const Error& error) {
      fail(fmt::format("{} {}", what, error.problem()));
    }
  }

  template <class Parse>
  auto positive(std::string_view what, const std::string& value, const char* example, Parse parse) const {
    const auto parsed = quantity(what, value, parse);
    if (parsed.value() <= 0) fail(fmt::format("{} \"{}\" must be above zero, like \"{}\"", what, value, example));
    return parsed;
  }

  // SimGrid accepts fewer spellings of units than Foreflow. Refuses those that SimGrid cannot read.
  [[noreturn]] void fail_unreadable(std::string_view what, const std::string& value, const char* example) const {
    fail(fmt::format("{} \"{}\" cannot be read by SimGrid; write it like \"{}\"", what, value, example));
  }

 private:
  const pugi::xml_node& node_;
  const XmlSource& source_;
  std::map<std::string, std::string, std::less<>> props_;
};

}  // namespace foreflow::platform
