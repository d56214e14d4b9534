// Where a microbatch enters and leaves the pipeline: an attribute of the computing ops in the passes of the first and
// the last stage.
#pragma once

#include <string_view>

namespace foreflow::ir {

// The number of ends of the pipeline at which the stage is: 1, or 2 where it is the only one. Where the backward pass
// is in two parts, one of them has the attribute.
inline constexpr std::string_view kPipelineEnds = "pipeline_ends";

}  // namespace foreflow::ir
