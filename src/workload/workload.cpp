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

int64_t positive(const FilledValues& values, std::string_view key, int64_t largest) {
  const int64_t value = values.integer(key);
  if (value >= 1 && value <= largest) return value;
  const KeyValues& stated = values.stated();
  // A default that is no legal size means that the key has to be stated.
  if (!stated.has(key)) stated.fail(key, "the key \"" + std::string(key) + "\" is missing");
  stated.fail(key, std::to_string(value) + " is no such size; use 1 to " + std::to_string(largest));
}

int64_t head_size(const FilledValues& values, int64_t hidden, int64_t heads) {
  if (values.stated().has("head_size")) return positive(values, "head_size");
  if (hidden % heads == 0) return hidden / heads;
  values.stated().fail("heads", std::to_string(heads) + " heads do not divide the hidden size " +
                                    std::to_string(hidden) + "; use a divisor of it");
}

int64_t four_hidden(const FilledValues& values) { return 4 * values.size("hidden"); }

int64_t hidden_of_head(const FilledValues& values) {
  const int64_t heads = values.size("heads");
  return heads == 0 ? 0 : values.size("hidden") / heads;
}

int64_t same_as_heads(const FilledValues& values) { return values.size("heads"); }

int64_t same_as_sequence(const FilledValues& values) { return values.size("sequence"); }

}  // namespace foreflow::workload
