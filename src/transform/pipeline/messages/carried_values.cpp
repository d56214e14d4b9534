#include "transform/pipeline/messages/carried_values.h"

namespace foreflow::transform {

using ir::ValueId;

ValueId CarriedValues::get(ValueId id, int part, int device) {
  const int microbatch = program_.slot(id, part);
  const ValueId known  = placed_.find(id, microbatch, device);
  if (known != ValueId::none) return known;
  if (const auto made = sources_.transfer_of(id)) {
    transfer(*made, part);
    if (const ValueId arrived = placed_.find(id, microbatch, device); arrived != ValueId::none) return arrived;
  }
  if (!scattered_.sends(id, part)) return placed_.send(id, microbatch, sources_.of(id, part), device);
  scattered_.gather(id, part, device);
  return placed_.find(id, microbatch, device);
}

void CarriedValues::send(ValueId id, int part, int device) {
  if (scattered_.sends(id, part)) {
    scattered_.send(id, part, device);
  } else {
    get(id, part, device);
  }
}

void CarriedValues::transfer_from(ValueId id, int part) {
  for (const size_t o : sources_.transfers_from(id)) transfer(o, part);
}

// Writes a Reshard for a microbatch, from the stage that makes the operands to the one that receives.
void CarriedValues::transfer(size_t o, int part) {
  const ir::Op& op    = program_.function.ops[o];
  const int to        = program_.devices.of(program_.pipe_of(part), program_.staged[o].stage);
  const ValueId first = program_.function.output(op, 0);
  if (placed_.find(first, program_.slot(first, part), to) != ValueId::none) return;
  std::vector<ValueId> operands;
  for (const ValueId id : program_.function.inputs(op)) operands.push_back(get(id, part, sources_.of(id, part)));
  placed_.reshard(program_.function, op, operands, program_.slot(first, part), to);
}

}  // namespace foreflow::transform
