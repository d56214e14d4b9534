#include "foreflow/workload/workload.h"

#include <algorithm>

#include "workload/sizes.h"

namespace foreflow::workload {

// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name { WorkloadDef row(); }
#include "workload/workloads.def"
#undef FOREFLOW_ROW
}  // namespace definitions
// clang-format on

const Registry<WorkloadDef>& workloads() {
  // clang-format off
  static const Registry<WorkloadDef> rows("model family", "workloads", {
#define FOREFLOW_ROW(name) definitions::name::row(),
#include "workload/workloads.def"
#undef FOREFLOW_ROW
  });
  // clang-format on
  return rows;
}

Mode mode_named(std::string_view name, const std::string& where) {
  const auto found = std::find(kModes.begin(), kModes.end(), name);
  if (found == kModes.end())
    throw Error(where, "unknown mode \"" + std::string(name) + "\"; use training or inference");
  return static_cast<Mode>(found - kModes.begin());
}

int64_t positive(const KeyValues& sizes, std::string_view key, int64_t fallback, int64_t largest) {
  const int64_t value = sizes.integer_or(key, fallback);
  if (value >= 1 && value <= largest) return value;
  // A fallback that is no legal size means that the key has to be stated.
  if (!sizes.has(key)) sizes.fail(key, "the key \"" + std::string(key) + "\" is missing");
  sizes.fail(key, std::to_string(value) + " is no such size; use 1 to " + std::to_string(largest));
}

int64_t head_size(const KeyValues& sizes, int64_t hidden, int64_t heads) {
  if (sizes.has("head_size")) return positive(sizes, "head_size", 1);
  if (hidden % heads == 0) return hidden / heads;
  sizes.fail("heads", std::to_string(heads) + " heads do not divide the hidden size " + std::to_string(hidden) +
                          "; use a divisor of it");
}

}  // namespace foreflow::workload
