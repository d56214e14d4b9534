// Gradients that are summed once a step from terms to which the microbatches add: those of a weight that several ops
// read, as of a tied embedding, and those that the devices of a group sum.
#pragma once

#include <map>
#include <vector>

#include "transform/pipeline/model/trained_reads.h"
#include "transform/pipeline/phases/phases.h"

namespace foreflow::transform {

// The terms of each of these gradients on one device. The key is the sum of the terms, before devices sum it.
using GradientTerms = std::map<size_t, std::vector<size_t>>;

// Adds the terms of `gradient` to `all` if it is such a gradient and tasks compute them. `phases`: of every op;
// `makers`: as ir::makers_of.
void add_terms(const ir::Function& function, const std::vector<StagePhase>& phases,
               const interpret::Values<LaidOut>& values, const std::vector<int32_t>& makers, size_t gradient,
               GradientTerms& all);

// StageNeed::shared of each of the stages.
std::vector<std::map<size_t, Bytes>> shared_gradients(const StagedProgram& program, const GradientTerms& terms,
                                                      size_t stages);

}  // namespace foreflow::transform
