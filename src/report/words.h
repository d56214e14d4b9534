// Numbers, ranges and bars as people like to read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/report/summary.h"

namespace foreflow::report {

std::string count(int64_t value);      // "18,432"
std::string number(double value);      // three digits or whole: "0.0123", "43.7", "18,432"
std::string percent(double fraction);  // "62.1 %"

// `part` of the iteration, 0 to 1; 0 for an iteration that takes no time.
double share_of_iteration(const Summary& summary, Seconds part);

// `width` cells filled to `fraction` in eighths of a cell; the rest are `rest` ("" for none).
std::string bar(double fraction, int width, std::string_view rest);

// "D1-D4, D7": runs of names with consecutive numbers. When there are more than `most` runs, the last name and how many
// there are: "D1, D5 … D61 (16)".
std::string name_ranges(const std::vector<std::string>& names, size_t most);

// The width of a text in a terminal: characters, not bytes.
int cells(std::string_view text);

// "@stage1_forward" -> "stage1_forward".
std::string_view plain_name(std::string_view name);

}  // namespace foreflow::report
