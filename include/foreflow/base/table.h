// Tables that people and programs read.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace foreflow {

using Row = std::vector<std::string>;

// Aligns cells in columns that are two spaces apart, each by its character of `sides`: '<' left, '>' right. A row may
// have fewer cells than the first. Lines have no trailing spaces; cells are escaped for a terminal.
std::string aligned(const std::vector<Row>& rows, std::string_view sides);

// One line of comma-separated values, with its line end; cells are escaped by escape::csv.
std::string csv_line(const Row& cells);

// One line for each kind of reason, most frequent first: "     3 x tp: 8 does not divide ..". `reasons` maps each
// reason to the number of its occurrences. Reasons that differ only in numbers are of one kind, which is shown as its
// first reason followed by "and the like".
std::string tally(const std::map<std::string, size_t>& reasons);

}  // namespace foreflow
