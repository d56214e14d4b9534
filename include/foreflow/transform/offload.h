// Activations that wait for the backward pass in the memory of the host.
#pragma once

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// Everything that the forward pass leaves for the backward pass of the same device (with recomputation: what that
// keeps) is copied to the host after its last use in the forward pass, and back before its first use in the backward
// pass, by streams of their own, as TransformerEngine's and SageMaker's offloading of activations do (all layers, with
// two buffers: some values come back while those before them are used). Weights, what is made of weights alone and the
// data of the step stay where they are. For programs as `shard` or `pipeline` leave them; one on no device is put on
// D1. RefusalError where two functions of the backward pass read the same activation, or where devices share the
// functions of a stage.
ir::Module offload(const ir::Module& module, const ir::OpTable& ops);

}  // namespace foreflow::transform
