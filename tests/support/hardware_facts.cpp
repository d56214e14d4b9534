#include "support/hardware_facts.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <vector>

namespace foreflow::test {
namespace {

// Cells of a line; quotes keep commas.
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> all(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      all.emplace_back();
    } else {
      all.back() += c;
    }
  }
  return all;
}

std::vector<double> numbers(const std::string& text) {
  std::vector<double> all;
  for (size_t at = text.find_first_of("0123456789"); at != std::string::npos;
       at        = text.find_first_of("0123456789", at)) {
    char* end = nullptr;
    all.push_back(std::strtod(text.c_str() + at, &end));
    at = static_cast<size_t>(end - text.c_str());
  }
  return all;
}

double factor(const std::string& unit) {
  static const std::map<std::string, double> all = {{"TFLOP/s", 1e12}, {"GB/s", 1e9}, {"TB/s", 1e12},
                                                    {"Gb/s", 1e9 / 8}, {"GB", 1e9},   {"GB GDDR6", 1e9}};
  const auto found                               = all.find(unit);
  if (found == all.end()) ADD_FAILURE() << "no factor for the unit " << unit;
  return found == all.end() ? 0 : found->second;
}

}  // namespace

HardwareFacts::HardwareFacts(const std::filesystem::path& csv) {
  std::ifstream file(csv);
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> row = cells(line);
    if (row.size() >= 4) rows_[{row[0], row[1]}] = {row[2], row[3]};
  }
}

double HardwareFacts::value(const Fact& fact) const {
  if (fact.device.empty()) return fact.scale;
  const auto found = rows_.find({fact.device, fact.quantity});
  if (found == rows_.end()) {
    ADD_FAILURE() << "no fact about " << fact.device << ": " << fact.quantity;
    return 0;
  }
  const auto& [text, unit] = found->second;
  if (fact.number >= 0) return fact.scale * numbers(text).at(static_cast<size_t>(fact.number));
  return fact.scale * std::strtod(text.c_str(), nullptr) * factor(unit);
}

}  // namespace foreflow::test
