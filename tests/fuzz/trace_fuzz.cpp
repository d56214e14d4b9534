// Traces of PyTorch's profiler: read, fitted, and printed as measurements, which parse.
#include <cmath>

#include "foreflow/base/text.h"
#include "foreflow/cost/calibration.h"
#include "foreflow/execute/trace.h"
#include "fuzz/form.h"
#include "support/temporary.h"

namespace foreflow::fuzz::definitions::trace_form {
namespace {

void take(std::string_view text) {
  static const test::TemporaryFolder folder;
  const std::string file = folder / "t.json";
  write_file(file, text);
  const execute::TraceMeasurements found = execute::read_traces({file});
  FOREFLOW_CHECK(found.matched <= found.all, "what is measured is a part");
  for (const execute::HostTime& time : {found.kernel, found.gradient, found.collective})
    FOREFLOW_CHECK(std::isfinite(time.median.value()) && time.median >= Seconds(0), "launches follow each other");
  const std::string printed = cost::print_csv(found.measurements);
  surely("measurements of a trace parse", [&] { return cost::parse_csv(printed, "printed"); });
  for (const cost::FamilyError& error : cost::assess(cost::fit(found.measurements)))
    FOREFLOW_CHECK(std::isfinite(error.line_error) && std::isfinite(error.held_out_error), "errors are numbers");
}

}  // namespace

Form row() { return {"trace", take, 2000}; }

}  // namespace foreflow::fuzz::definitions::trace_form
