// Remarks on stderr about what was read, which is used nevertheless.
#pragma once

#include <string>
#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/onnx/import.h"
#include "foreflow/scenario/scenario.h"

namespace foreflow::cli {

// Says that a scale of quantised numbers is not finite.
void remark_on_scales(const onnx::Imported& imported);
// Says that a model is of a newer opset than is known.
void remark_on_opset(const std::string& path);
// The same for the models of a scenario and of its jobs.
void remark_on_opsets(const scenario::Scenario& scenario);
// The same for all models that a scenario in `file` names before it is read, when values may be lists to choose from.
void remark_on_opsets(const Json& source, const std::string& file);

// Says which devices of a question's platforms are priced from their data sheets, if others are priced from
// measurements. `source` is a scenario in `file` whose platform may have axes.
void remark_on_data_sheets(const Json& source, const std::string& file);

// Says, where a scenario has more than a thousand devices, that what was asked for tells or follows each of them, and
// what limits it. `reports`: the options that tell each device, "--trace"; empty: none.
void remark_on_reports_of_many(const scenario::Scenario& scenario, const std::vector<std::string>& reports);
void remark_on_observing_many(const scenario::Scenario& scenario);
void remark_on_lowering_many(const scenario::Scenario& scenario);

}  // namespace foreflow::cli
