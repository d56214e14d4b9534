// Presets: published models by name, each a family with its sizes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/workload/workload.h"

namespace foreflow::workload {

struct Preset {
  std::string_view name;
  std::string_view family;
  std::vector<std::pair<std::string_view, int64_t>> sizes;  // keys of the family
  int64_t parameters;       // trained, as published: the exact number where its source gives one
  std::string_view source;  // of the sizes and the number of parameters
};

const Registry<Preset>& presets();

// The family named by `model`, which is a family or a preset. Throws Error at `where`, suggesting the nearest of both.
const WorkloadDef& find_model(std::string_view model, const std::string& where);

// A scenario's "workload" with the sizes of its preset filled in where it states none; unchanged when it names no
// preset.
Json with_preset(const Json& workload);

}  // namespace foreflow::workload
