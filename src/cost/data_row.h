// A line of a file of published measurements.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace foreflow::cost {

// The cells of a line; a quoted cell may hold commas.
std::vector<std::string> fields_of(std::string_view line);

// One line of a file by the names of its columns. Throws Error naming the line where the cells do not fit the names.
class FieldsOfRow {
 public:
  FieldsOfRow(const std::vector<std::string>& names, std::vector<std::string> cells, std::string where);

  // Throw Error where there is no such column, and `number` where the cell is no number above 0.
  const std::string& text(std::string_view column) const;
  double number(std::string_view column) const;
  const std::string& first() const { return cells_[0]; }
  const std::string& where() const { return where_; }

 private:
  const std::vector<std::string>& names_;
  std::vector<std::string> cells_;
  std::string where_;
};

}  // namespace foreflow::cost
