// Slices that cut a value into equal parts as the Split that they are: exporters write a fused q|k|v projection either
// way, and only a Split may be split in blocks.
#pragma once

#include <optional>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// The module with one Split in place of the Slices of one value that make n >= 2 equal parts of one dimension.
ir::Module join_slices(const ir::Module& module, const ir::OpTable& ops);
// Nothing where there is none.
std::optional<ir::Module> try_join_slices(const ir::Module& module, const ir::OpTable& ops);

}  // namespace foreflow::transform
