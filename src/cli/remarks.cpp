#include "cli/remarks.h"

#include <iostream>

#include "foreflow/base/escape.h"
#include "foreflow/onnx/import.h"

namespace foreflow::cli {

void remark_on_opset(const std::string& path) {
  const std::string remark = onnx::opset_remark(path);
  if (!remark.empty()) std::cerr << escape::terminal("foreflow: note: " + remark) << "\n";
}

void remark_on_opsets(const scenario::Scenario& scenario) {
  if (scenario.workload.source == scenario::Workload::Source::onnx) remark_on_opset(scenario.workload.path);
  for (const scenario::Job& job : scenario.jobs) remark_on_opsets(job.scenario);
}

}  // namespace foreflow::cli
