#include "foreflow/ir/uses.h"

#include <algorithm>
#include <numeric>

namespace foreflow::ir {

std::vector<int32_t> makers_of(const Function& function) {
  std::vector<int32_t> makers(function.values.size(), -1);
  for (size_t o = 0; o < function.ops.size(); ++o)
    std::fill_n(makers.begin() + function.ops[o].first_result, function.ops[o].result_count, static_cast<int32_t>(o));
  return makers;
}

std::vector<int32_t> uses_of(const Function& function) {
  std::vector<int32_t> uses(function.values.size());
  for (const auto* list : {&function.operands, &function.results}) {
    for (const ValueId id : *list) {
      if (id != ValueId::none) ++uses[index(id)];
    }
  }
  return uses;
}

Readers::Readers(const Function& function) : first_(function.values.size() + 1) {
  const auto for_each_read = [&](auto visit) {
    for (size_t o = 0; o < function.ops.size(); ++o) {
      for (const ValueId id : function.inputs(function.ops[o])) {
        if (id != ValueId::none) visit(index(id), static_cast<int32_t>(o));
      }
    }
  };
  for_each_read([&](size_t value, int32_t) { ++first_[value]; });
  std::exclusive_scan(first_.begin(), first_.end(), first_.begin(), 0U);
  ops_.resize(first_.back());
  std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
  for_each_read([&](size_t value, int32_t op) { ops_[next[value]++] = op; });
}

}  // namespace foreflow::ir
