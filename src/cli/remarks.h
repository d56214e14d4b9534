// Remarks on stderr about what was read, which is used nevertheless.
#pragma once

#include <string>

#include "foreflow/scenario/scenario.h"

namespace foreflow::cli {

// Says that a model is of a newer opset than is known.
void remark_on_opset(const std::string& path);
// The same for the models of a scenario and of its jobs.
void remark_on_opsets(const scenario::Scenario& scenario);

}  // namespace foreflow::cli
