#include "reproduce/published.h"

#include <fmt/core.h>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"

namespace foreflow::reproduce {
namespace {

// A quoted cell may hold commas.
std::vector<std::string> split_cells(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

}  // namespace

const std::string& Published::word(const std::string& column) const {
  const auto cell = cells_.find(column);
  if (cell == cells_.end()) throw Error(place_, "there is no column \"" + column + "\"");
  return cell->second;
}

double Published::number(const std::string& column) const {
  const std::string& text = word(column);
  if (const auto value = parse_number<double>(text)) return *value;
  throw Error(place_, fmt::format("{} is \"{}\", which is no number", column, text));
}

std::vector<Published> read_published(const std::string& path) {
  std::vector<Published> rows;
  std::vector<std::string> columns;
  const std::string text = read_file(path);
  size_t number          = 0;
  for (const std::string& line : split(after_byte_order_mark(text), '\n')) {
    ++number;
    if (trim(line).empty() || line.front() == '#') continue;
    const std::vector<std::string> cells = split_cells(trim(line));
    if (columns.empty()) {
      columns = cells;
      continue;
    }
    const std::string place = fmt::format("{}:{}", path, number);
    if (cells.size() != columns.size())
      throw Error(place, fmt::format("has {} cells for {} columns", cells.size(), columns.size()));
    std::map<std::string, std::string> row;
    for (size_t i = 0; i < cells.size(); ++i) row.emplace(columns[i], cells[i]);
    rows.emplace_back(place, std::move(row));
  }
  return rows;
}

}  // namespace foreflow::reproduce
