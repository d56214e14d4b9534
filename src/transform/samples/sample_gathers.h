// Recognises gathers by the number of the sample, which take from each sample something of its own.
#pragma once

#include "transform/samples/sample_values.h"

namespace foreflow::transform {

// How an op runs within each sample.
enum class SampleGather : uint8_t {
  none,
  tuples,      // GatherND(x[b,..], indices[b,..,k]) whose first index is b
  joined,      // the same whose indices are Concat(b, other indices)
  merged_rows  // Gather(x[b*c,..], indices[b,..]) whose indices are those of sample 0 plus b*c
};

// `joins` is the op that made the indices; null: unknown.
SampleGather find_sample_gather(const ir::Function& function, const ir::Op& op, const ir::Op* joins,
                                const SampleValues& values);

}  // namespace foreflow::transform
