// Tables that people and programs read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace foreflow {

using Row = std::vector<std::string>;

// Columns as wide as their widest cell, two spaces apart, each to the side that its character of `sides` says: '<'
// left,
// '>' right. A row may have fewer cells than the first. Lines end without spaces; cells are written for a terminal.
std::string aligned(const std::vector<Row>& rows, std::string_view sides);

// One line of comma-separated values, with its end; cells as escape::csv writes them.
std::string csv_line(const Row& cells);

// One line for each kind of reason, most frequent first: "     3 x tp: 8 does not divide ..". Reasons that differ in
// numbers only are of one kind, for which its first stands, with "and the like".
std::string tally(const std::vector<std::string>& reasons);

}  // namespace foreflow
