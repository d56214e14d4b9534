// The values that the stages of a pipeline send to the stages beside them.
#pragma once

#include <map>
#include <vector>

#include "transform/pipeline/model/trained_reads.h"

namespace foreflow::transform {

// Per stage, the members of StageNeed that have these names.
struct SentValues {
  std::vector<std::vector<StageNeed::Sent>> to_next, to_previous;
};

// Returns the values that each of the stages sends.
SentValues sent_values(const StagedProgram& program, size_t stages);

// The least that a device of the group has, by the numbers of those that have anything.
Bytes least_of_group(const StagedProgram& program, const std::map<int32_t, Bytes>& by_device);

}  // namespace foreflow::transform
