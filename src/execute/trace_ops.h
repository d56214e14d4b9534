// PyTorch's ops and collectives as ours.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "execute/trace_events.h"
#include "foreflow/cost/measurement.h"

namespace foreflow::execute {

// The work of one of our ops that stands for `op`, without times. Nothing: none does, or its operands were not
// recorded.
std::optional<cost::Measurement> compute_of(const HostOp& op);

// The message that `facts` describe. Nothing: no collective that we know, or one without bytes or members.
std::optional<cost::Measurement> message_from(const MessageFacts& facts);
// The message of a range "nccl:all_reduce" with one operand, among all ranks of a run.
std::optional<cost::Measurement> message_from(const HostOp& range, int ranks);

}  // namespace foreflow::execute
