#include "foreflow/ir/written_out.h"

#include <fmt/core.h>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"

namespace foreflow::ir {

std::vector<double> ops_written_out(const Module& module, const std::vector<bool>& inlined) {
  std::vector<double> counts;  // callees stand before their callers
  const auto inside = [&](const Op& op) {
    const bool counts_too = op.is_call() && (inlined.empty() || nth(inlined, op.callee));
    return counts_too ? nth(counts, op.callee) : 0;
  };
  for (const Function& function : module.functions) {
    double count = 0;
    for (const Op& op : function.ops) count += 1 + inside(op);
    counts.push_back(count);
  }
  return counts;
}

void check_written_out(const Module& module, double most, const std::string& doing, const std::vector<bool>& inlined) {
  const std::vector<double> counts = ops_written_out(module, inlined);
  for (size_t f = 0; f < counts.size(); ++f) {
    if (counts[f] <= most) continue;
    throw Error(module.source + ": @" + module.functions[f].name,
                fmt::format("comes to {:.3g} ops with those of its calls; {} is possible up to {:.3g}", counts[f],
                            doing, most));
  }
}

}  // namespace foreflow::ir
