#include "foreflow/analyze/report.h"

#include "foreflow/base/nth.h"

namespace foreflow::analyze {
namespace {

// Shape arithmetic depends on no op that runs: shapes are known before the run.
Dependencies waits(const Subject& subject, Dependencies graph) {
  for (std::vector<int32_t>& readers : graph.readers) {
    std::erase_if(readers, [&](int32_t reader) { return subject.on_host(nth(subject.function().ops, reader)); });
  }
  return graph;
}

}  // namespace

std::vector<FunctionRow> function_rows(const ir::Module& module) {
  std::vector<FunctionRow> rows;
  for (const ir::Function& function : module.functions) rows.push_back({function.name, function.ops.size()});
  rows.back().runs = 1;
  for (size_t f = rows.size(); f-- > 0;) {
    for (const ir::Op& op : module.functions[f].ops) {
      if (!op.is_call()) continue;
      FunctionRow& callee = nth(rows, op.callee);
      ++callee.places;
      callee.runs += rows[f].runs;
    }
  }
  return rows;
}

Analysis analyze(const Subject& subject, std::vector<FunctionRow> functions, Weighing weighing) {
  Analysis analysis;
  analysis.functions = std::move(functions);
  analysis.work      = work_of_ops(subject);
  analysis.types     = totals_by_type(subject, analysis.work);
  analysis.graph     = dependencies(subject.function());
  analysis.weighing  = std::move(weighing);
  analysis.path      = critical_path(waits(subject, analysis.graph), analysis.weighing.weights);
  analysis.fusion    = fusion(subject);
  analysis.fusions   = fusion_rows(subject, analysis.fusion);
  return analysis;
}

}  // namespace foreflow::analyze
