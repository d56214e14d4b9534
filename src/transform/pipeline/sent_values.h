// The values that the stages of a pipeline send to the stages beside them.
#pragma once

#include <map>
#include <vector>

#include "transform/pipeline/trained_reads.h"

namespace foreflow::transform {

// StageNeed::to_next and to_previous of every stage.
void add_sent(const StagedProgram& program, std::vector<StageNeed>& needs);

// The least that a device of the group has, by the numbers of those that have anything.
Bytes least_of_group(const StagedProgram& program, const std::map<int32_t, Bytes>& by_device);

}  // namespace foreflow::transform
