#include "foreflow/stream/compact.h"

#include "foreflow/base/nth.h"

namespace foreflow::stream {

std::vector<int32_t> composed(const CompactProgram& program, const CompactProgram::CallStep& call,
                              const std::vector<int32_t>& outer) {
  if (call.renaming < 0) return outer;
  std::vector<int32_t> inner = nth(program.renamings, call.renaming);
  if (!outer.empty()) {
    for (int32_t& device : inner) device = nth(outer, device - 1);
  }
  return inner;
}

std::vector<int64_t> executions(const CompactProgram& program) {
  std::vector<int64_t> calls(program.procedures.size(), 0), counts(program.computes.size(), 0);
  nth(calls, program.root) = program.replicas;
  for (size_t p = program.procedures.size(); p-- > 0;) {
    if (calls[p] == 0) continue;
    for (const auto& step : program.procedures[p].computes) nth(counts, step.event) += calls[p];
    for (const auto& step : program.procedures[p].calls) nth(calls, step.procedure) += calls[p];
  }
  return counts;
}

}  // namespace foreflow::stream
