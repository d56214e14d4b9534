// The grammar of a platform file: which elements and attributes may stand where. Errors state their position.
#pragma once

#include <algorithm>
#include <cstddef>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/error.h"

namespace foreflow::platform {

// A text with a name, and its positions.
class XmlSource {
 public:
  XmlSource(const std::string& text, std::string file);

  // "FILE:LINE:COLUMN", both counted from 1, of a byte of the text or of an element's "<".
  std::string where(size_t offset) const;
  std::string where(const pugi::xml_node& element) const { return where(offset(element)); }
  static size_t offset(const pugi::xml_node& element);
  [[noreturn]] void fail(const pugi::xml_node& element, const std::string& what) const {
    throw Error(where(element), what);
  }

 private:
  std::string file_;
  std::vector<size_t> line_starts_;
};

// The row of a table that has this name; null: none has.
template <class Row>
const Row* find_named(const std::vector<Row>& rows, std::string_view name) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

// Checks names, attributes and nesting of `element` and everything in it. Throws Error at the first mistake.
void check_shape(const pugi::xml_node& element, const XmlSource& source);

}  // namespace foreflow::platform
