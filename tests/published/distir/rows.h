// Results that the DistIR authors' simulator printed, and ours for the same point of their grid.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "foreflow/scenario/run.h"

namespace foreflow::published {

// One line of a CSV file by column name.
class Row {
 public:
  Row(const std::vector<std::string>& header, const std::vector<std::string>& cells);

  const std::string& word(const std::string& column) const;
  double number(const std::string& column) const;
  int degree(const std::string& column) const { return static_cast<int>(number(column)); }

 private:
  std::map<std::string, std::string> cells_;
};

std::vector<Row> read_csv(const std::string& path);

// "d1 t2 p8 k4, batch 65536"
std::string describe(const Row& row);

// The base scenario at the strategy (columns d, t, p, k) and batch of a row. `settings` are further overrides.
scenario::Scenario at(const std::string& base, const Row& row, std::vector<std::string> settings = {});

}  // namespace foreflow::published
