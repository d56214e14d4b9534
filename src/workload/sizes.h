// Reading the sizes of a model family.
#pragma once

#include "foreflow/workload/workload.h"

namespace foreflow::workload {

// Throws Error at the key unless it is at least 1.
int64_t positive(const JsonView& sizes, std::string_view key, int64_t fallback);

}  // namespace foreflow::workload
