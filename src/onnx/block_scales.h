// Scales and zero points of weights that are quantised in blocks, which ONNX Runtime writes as lists.
#pragma once

#include "foreflow_onnx.pb.h"

namespace foreflow::onnx {

// Gives initializers and constants that hold one number, or one row of packed bits, for each block of a MatMulNBits'
// weight the dimensions [N, blocks] where they are lists of as many elements, so that columns and blocks can be split.
// Their elements stay. A list that something else reads, too, or that is of another length, stays as it is. Requires:
// functions are inlined.
void restate_block_scales(onnx_proto::GraphProto& graph);

}  // namespace foreflow::onnx
