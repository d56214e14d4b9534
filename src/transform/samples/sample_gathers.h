// Recognises gathers by the number of the sample, which take from each sample something of its own.
#pragma once

#include "transform/samples/sample_values.h"

namespace foreflow::transform {

// How an op runs within each sample.
enum class SampleGather : uint8_t {
  none,
  tuples,       // GatherND(x[b,..], indices[b,..,k]) whose first index is b
  joined,       // the same whose indices are Concat(b, other indices)
  merged_rows,  // Gather(x[b*c,..], indices[b,..]) whose indices are those of sample 0 plus b*c
  merged_row    // Gather(x[b*c,..], Add(row[b], b*c)) whose row is an ArgMax over c elements at most
};

// `joins` is the op that made the indices; null: unknown. `from` is what the op gathers from: data, or what is the same
// in all samples.
SampleGather find_sample_gather(const ir::Function& function, const ir::Op& op, const ir::Op* joins,
                                const SampleValues& values, Content from = Content::data);

// The row that a gather of the kind merged_row takes from each sample; none if it is no such gather.
ir::ValueId row_of_sample(const ir::Function& function, const ir::Op& op, const ir::Op* joins,
                          const SampleValues& values);

}  // namespace foreflow::transform
