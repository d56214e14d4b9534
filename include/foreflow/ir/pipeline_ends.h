// An attribute that marks the passes of a pipeline's stages over a microbatch, and says which are at its ends, where
// the microbatch enters and leaves. Computing ops have it.
#pragma once

#include <string_view>

namespace foreflow::ir {

// The number of ends of the pipeline at which the stage is: 0, 1, or 2 where it is the only one. Where the backward
// pass is in two parts, only one of them has more than 0.
inline constexpr std::string_view kPipelineEnds = "pipeline_ends";

}  // namespace foreflow::ir
