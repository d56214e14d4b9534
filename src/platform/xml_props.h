// The <prop> elements of one element, and complaints about them.
#pragma once

#include <fmt/core.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "platform/xml_shape.h"

namespace foreflow::platform {

// Whether `word` is not `known` but must be a slip of the pen: one letter too many, too few or wrong, two neighbours
// swapped, or capitals.
bool looks_like(std::string_view word, std::string_view known);

class Props {
 public:
  // `known`: what we read. Others are the user's own, except one that looks like a misspelling: throws Error then, and
  // when one stands twice. `peak_...` is known on hosts. `node` and `source` must outlive this.
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

  // SimGrid knows fewer spellings of units than we do; refuses those that only we can read.
  [[noreturn]] void fail_unreadable(std::string_view what, const std::string& value, const char* example) const {
    fail(fmt::format("{} \"{}\" cannot be read by SimGrid; write it like \"{}\"", what, value, example));
  }

 private:
  const pugi::xml_node& node_;
  const XmlSource& source_;
  std::map<std::string, std::string, std::less<>> props_;
};

}  // namespace foreflow::platform
