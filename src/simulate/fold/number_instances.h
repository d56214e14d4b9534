// Streams that tell each communication by its kind, as a program of instances.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "foreflow/stream/program.h"

namespace foreflow::simulate {

// Item::instance of `program` is a kind: the nth item of a kind in one of its members and the nth in another are the
// same instance. Makes instances of them, numbered in an order that all streams agree on, and gives the kind of each.
// `members` by kind. Nothing when streams agree on no order.
std::optional<std::vector<int32_t>> number_instances(stream::Program& program,
                                                     const std::vector<stream::Members>& members);

}  // namespace foreflow::simulate
