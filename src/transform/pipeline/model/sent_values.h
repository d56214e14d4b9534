// The values that the stages of a pipeline send to the stages beside them.
#pragma once

#include <map>
#include <vector>

#include "transform/pipeline/model/trained_reads.h"

namespace foreflow::transform {

// The members of StageNeed that have these names.
struct SentValues {
  Bytes to_next, to_previous;
  Seconds beside_next, beside_previous;
};

// Returns the values that each of the stages sends.
std::vector<SentValues> sent_values(const StagedProgram& program, size_t stages);

// The least that a device of the group has, by the numbers of those that have anything.
Bytes least_of_group(const StagedProgram& program, const std::map<int32_t, Bytes>& by_device);

}  // namespace foreflow::transform
