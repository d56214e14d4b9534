// Overlap: moves communication to streams of its own, so that it runs beside the computation.
#pragma once

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// Moves messages between devices to streams `to_next`, `to_prev` of the sender and `from_prev`, `from_next` of the
// receiver. A receiver waits for a message only where its value is first used.
ir::Module overlap_sends(ir::Module module, const ir::OpTable& ops);

// Cuts each product whose result is all-reduced or reduce-scattered into `chunks` along its rows. The collective of one
// chunk runs on streams `tp` while the next chunk is computed.
ir::Module overlap_tensor(const ir::Module& module, const ir::OpTable& ops, int chunks);

// Moves the shifts of ring attention, which `split_data` writes, to streams `cp`. A device waits for a shift only where
// its value is first used. A function that is called with different types is left as it is.
ir::Module overlap_ring(const ir::Module& module, const ir::OpTable& ops);

}  // namespace foreflow::transform
