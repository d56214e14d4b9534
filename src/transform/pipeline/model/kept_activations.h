// The activations that a forward pass keeps for the backward pass, for any cut of the program into stages.
#pragma once

#include <vector>

#include "transform/pipeline/model/modelled_program.h"

namespace foreflow::transform {

// A forward value is held by the stage that makes it, if a backward op of that stage reads it; a view keeps the
// value whose memory it has.
struct KeptActivation {
  int32_t maker, reader;  // anchors
  Bytes bytes;
};

std::vector<KeptActivation> kept_activations(const ModelledProgram& program);

}  // namespace foreflow::transform
