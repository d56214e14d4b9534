#include "lower/pytorch/rank_numbers.h"

#include <fmt/core.h>

#include "foreflow/base/nth.h"

namespace foreflow::lower {

std::string RankNumbers::expression(const std::vector<int>& ranks, const std::vector<int64_t>& values) {
  size_t k       = 0;
  int64_t offset = 0;
  for (; k < columns_.size(); ++k) {
    std::optional<int64_t> apart;
    bool fits = true;
    for (size_t i = 0; i < ranks.size() && fits; ++i) {
      const std::optional<int64_t>& present = nth(columns_[k], ranks[i]);
      if (!present) continue;
      if (!apart) apart = values[i] - *present;
      fits = values[i] - *present == *apart;
    }
    if (!fits) continue;
    offset = apart.value_or(0);
    break;
  }
  if (k == columns_.size()) columns_.emplace_back(ranks_);
  for (size_t i = 0; i < ranks.size(); ++i) nth(columns_[k], ranks[i]) = values[i] - offset;
  if (offset == 0) return fmt::format("numbers[{}]", k);
  return fmt::format("(numbers[{}] {} {})", k, offset < 0 ? '-' : '+', offset < 0 ? -offset : offset);
}

std::vector<int64_t> RankNumbers::of(int rank) const {
  std::vector<int64_t> list;
  for (size_t k = 0; k < columns_.size(); ++k) {
    const std::optional<int64_t>& number = nth(columns_[k], rank);
    if (!number) continue;
    list.resize(k);
    list.push_back(*number);
  }
  return list;
}

}  // namespace foreflow::lower
