#include "foreflow/workload/workload.h"

#include "sizes.h"

namespace foreflow::workload {

namespace definitions {
#define FOREFLOW_WORKLOAD(name) WorkloadDef name();
#include "workloads.def"
#undef FOREFLOW_WORKLOAD
}  // namespace definitions

const Registry<WorkloadDef>& workloads() {
  static const Registry<WorkloadDef> kTable("model family", {
#define FOREFLOW_WORKLOAD(name) definitions::name(),
#include "workloads.def"
#undef FOREFLOW_WORKLOAD
                                                            });
  return kTable;
}

int64_t positive(const JsonView& sizes, std::string_view key, int64_t fallback, int64_t largest) {
  const int64_t value = sizes.int_or(key, fallback);
  if (value < 1 || value > largest) {
    sizes.at(key).fail(std::to_string(value) + " is no such size; use 1 to " + std::to_string(largest));
  }
  return value;
}

}  // namespace foreflow::workload
