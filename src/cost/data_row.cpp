#include "cost/data_row.h"

#include <fmt/core.h>

#include <algorithm>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"

namespace foreflow::cost {

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == '"' || c == '\r') continue;
    if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

FieldsOfRow::FieldsOfRow(const std::vector<std::string>& names, std::vector<std::string> cells, std::string where)
    : names_(names), cells_(std::move(cells)), where_(std::move(where)) {
  if (cells_.size() != names_.size())
    throw Error(where_, fmt::format("has {} cells; the first line names {} columns", cells_.size(), names_.size()));
}

const std::string& FieldsOfRow::text(std::string_view column) const {
  const auto found = std::find(names_.begin(), names_.end(), column);
  if (found == names_.end()) throw Error(where_, fmt::format("has no column \"{}\"", column));
  return nth(cells_, found - names_.begin());
}

double FieldsOfRow::number(std::string_view column) const {
  const auto value = parse_number<double>(text(column));
  if (!value || !(*value > 0) || *value > 1e15)
    throw Error(where_, fmt::format("{} is \"{}\"; write a number above 0", column, text(column)));
  return *value;
}

}  // namespace foreflow::cost
