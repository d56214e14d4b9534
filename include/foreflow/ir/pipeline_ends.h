// An attribute that marks the ends of a pipeline, at which a microbatch enters and leaves. Computing ops in the passes
// of the first and the last stage have it.
#pragma once

#include <string_view>

namespace foreflow::ir {

// The number of ends of the pipeline at which the stage is: 1, or 2 where it is the only one. Where the backward pass
// is in two parts, one of them has the attribute.
inline constexpr std::string_view kPipelineEnds = "pipeline_ends";

}  // namespace foreflow::ir
