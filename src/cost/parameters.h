// The keys of a cost model's parameters.
#pragma once

#include "foreflow/cost/cost.h"

namespace foreflow::cost {

// Refuses keys of `parameters` other than "model" and these.
inline void allow_only(const JsonView& parameters, const Keys& keys) {
  std::vector<std::string> names = names_of(keys);
  names.emplace_back("model");
  parameters.allow_only(names);
}

}  // namespace foreflow::cost
