// Communication ops as stream::Communication: which collective, between whom, how many bytes.
#pragma once

#include <optional>
#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/lower/lower.h"

namespace foreflow::lower {

struct GroupCommunication {
  stream::Communication what;
  std::vector<ir::Device> members;  // in rank order; rooted kinds: the root first
  int replicas;                     // the corresponding members of this many replicas take part together
};

void set_price(stream::Communication& what, const cost::MessagePrice& price);

// `inputs` and `outputs` are the types of the op's operands and results, on their devices, or those of all shards, of
// which the op has two.
GroupCommunication communication_of(const ir::Op& op, const std::vector<ir::Type>& inputs,
                                    const std::vector<ir::Type>& outputs, const cost::CostModel& cost,
                                    const Options& options);

}  // namespace foreflow::lower
