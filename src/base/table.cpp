#include "foreflow/base/table.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "foreflow/base/escape.h"

namespace foreflow {
namespace {

// "tp: # does not divide # heads"; lists of numbers count as one.
std::string without_numbers(std::string_view text) {
  std::string kind;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (!digit) kind += text[i];
    if (digit && !kind.ends_with("#")) kind += "#";
    for (const std::string_view list : {"#, #", "# or #"}) {
      if (kind.ends_with(list)) kind.resize(kind.size() - list.size() + 1);
    }
  }
  return kind;
}

struct Kind {
  std::string first;
  size_t count = 0;
  bool equal   = true;  // all have the same text
};

}  // namespace

std::string aligned(const std::vector<Row>& rows, std::string_view sides) {
  std::vector<size_t> widths(rows.front().size());
  std::vector<Row> shown = rows;
  for (Row& row : shown) {
    for (size_t c = 0; c < row.size(); ++c) {
      row[c]    = escape::terminal(row[c]);
      widths[c] = std::max(widths[c], row[c].size());
    }
  }
  std::string text;
  for (const Row& row : shown) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c)
      line += sides[c] == '<' ? fmt::format("  {:<{}}", row[c], widths[c]) : fmt::format("  {:>{}}", row[c], widths[c]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string csv_line(const Row& cells) {
  std::string line;
  for (size_t c = 0; c < cells.size(); ++c) line += (c == 0 ? "" : ",") + escape::csv(cells[c]);
  return line + "\n";
}

std::string tally(const std::map<std::string, size_t>& reasons) {
  std::map<std::string, Kind> kinds;
  for (const auto& [reason, count] : reasons) {
    Kind& kind = kinds[without_numbers(reason)];
    kind.equal = kind.count == 0;
    if (kind.count == 0) kind.first = reason;
    kind.count += count;
  }
  std::vector<const Kind*> sorted;
  for (const auto& [text, kind] : kinds) sorted.push_back(&kind);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Kind* a, const Kind* b) { return a->count > b->count; });
  std::string text;
  for (const Kind* kind : sorted)
    text +=
        fmt::format("{:>6} x {}{}\n", kind->count, escape::terminal(kind->first), kind->equal ? "" : ", and the like");
  return text;
}

}  // namespace foreflow
