// The numbers that differ between ranks which run the same code: the list `numbers` of each rank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace foreflow::lower {

class RankNumbers {
 public:
  explicit RankNumbers(size_t ranks) : columns_(0), ranks_(ranks) {}

  // The expression that gives values[i] on ranks[i], which are ascending: "numbers[k]", or "(numbers[k] + 8)" where
  // another expression has the same number but for a constant.
  std::string expression(const std::vector<int>& ranks, const std::vector<int64_t>& values);

  // The list of a rank.
  std::vector<int64_t> of(int rank) const;

 private:
  using Column = std::vector<std::optional<int64_t>>;  // by rank; none: the rank does not use it

  std::vector<Column> columns_;
  size_t ranks_;
};

}  // namespace foreflow::lower
