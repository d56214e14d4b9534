// Communication ops as messages, for lower bounds.
#pragma once

#include <optional>
#include <vector>

#include "foreflow/scenario/demand.h"

namespace foreflow::scenario {

// The algorithm by which `ranks` of the scenario perform a collective.
const collective::AlgorithmDef& algorithm_of(const Scenario& scenario, collective::Kind kind,
                                             const std::vector<int>& ranks);

// The message of a communication op, once, with operands and results of these types; nothing when a formula of the cost
// model gives its time, or when it is between streams of one device and takes none. Rank r of the message is the device
// D(r + 1) of the op.
std::optional<Message> network_message(const ir::Op& op, const std::vector<ir::Type>& inputs,
                                       const std::vector<ir::Type>& outputs, const Scenario& scenario);

// True for messages that overlap with the attention before them and may take no additional time.
bool may_hide(const ir::Op& op);

}  // namespace foreflow::scenario
