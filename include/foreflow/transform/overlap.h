// Communication on streams of its own, beside the computation.
#pragma once

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// For programs on many devices: messages between devices travel on streams of their own (`to_next`, `to_prev` of the
// sender; `from_prev`, `from_next` of the receiver), so that computing goes on until they are needed.
ir::Module overlap_sends(ir::Module module, const ir::OpTable& ops);

// For programs on many devices: a product whose results are summed or scattered over several devices is cut into
// `chunks` along its rows, and the sum of one chunk runs on streams `tp` while the next one is computed.
ir::Module overlap_tensor(const ir::Module& module, const ir::OpTable& ops, int chunks);

// Moves the shifts of rings, which `spread` writes, to streams `cp` of their devices: each is waited for where what it
// brings is first used. In functions that several calls use on unlike types shifts stay.
ir::Module overlap_ring(const ir::Module& module, const ir::OpTable& ops);

}  // namespace foreflow::transform
