// The times of a run, and what was predicted of it, as `execute` shows them.
#pragma once

#include <string>

#include "foreflow/base/json.h"
#include "foreflow/execute/execute.h"
#include "foreflow/execute/predict.h"

namespace foreflow::cli {

// Adds `iteration_time_s` (the median), `iteration_time_min_s`, `iterations` and `ranks[]` {`device`, `compute_s`,
// `communication_s`, `wait_s`} to `json`, and a table to `text`.
void add_times(const execute::Execution& execution, Json& json, std::string& text);

// Adds `predicted` {`iteration_time_s`, `relative_error`, `ranks[]`, `cost_provenance`}; errors are predicted /
// measured - 1.
void add_prediction(const execute::Prediction& prediction, const execute::Execution& execution, Json& json,
                    std::string& text);

}  // namespace foreflow::cli
