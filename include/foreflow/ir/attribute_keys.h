// Attributes as keys of what an op does. Layers that are recomputed number their ops (transform/recompute.h), so that
// the ops of equal layers differ in nothing but these numbers.
#pragma once

#include <unordered_map>

#include "foreflow/ir/shared_attributes.h"

namespace foreflow::ir {

class AttributeKeys {
 public:
  // Equal for attributes that differ only in the numbers of segments. The attributes live as long as the keys.
  uint64_t of(const AttributesRef& attributes);

 private:
  std::unordered_map<const Attributes*, const Attributes*> known_;
  SharedAttributes unnumbered_;
};

}  // namespace foreflow::ir
