#include "transform/pipeline/program/placed_values.h"

#include <algorithm>

#include "foreflow/base/nth.h"

namespace foreflow::transform {

using ir::ValueId;

PlacedValues::PlacedValues(ir::FunctionBuilder& builder, const interpret::Values<LaidOut>& values, int microbatches,
                           const std::vector<int>& groups)
    : builder_(builder), values_(values), microbatches_(static_cast<size_t>(microbatches)), at_(values.size()) {
  for (int32_t before = 0; const int devices : groups) {
    before_.push_back(before);
    before += devices;
  }
  for (const LaidOut& value : values) group_ = std::max(group_, ir::device_of(value.value.type).index);
}

ir::Device PlacedValues::on(const ir::Device& device, int group) const {
  ir::Device placed    = device;
  const int32_t before = before_.empty() ? group * group_ : nth(before_, group);
  placed.index         = std::max(device.index, 1) + before;
  return placed;
}

ir::Device PlacedValues::device_of(ValueId id, int group) const {
  return on(ir::device_of(values_[ir::index(id)].value.type), group);
}

PlacedValues::Spot PlacedValues::spot(ValueId id, int device) {
  std::vector<Spot>& spots = at_[ir::index(id)];
  for (const Spot spot : spots) {
    if (on_device_[spot].device == device) return spot;
  }
  spots.push_back(static_cast<Spot>(on_device_.size()));
  on_device_.push_back({device, ValueId::none, {}});
  return spots.back();
}

ValueId PlacedValues::find(ValueId id, int microbatch, int device) const {
  for (const Spot spot : at_[ir::index(id)]) {
    if (on_device_[spot].device == device) return at(spot, microbatch);
  }
  return ValueId::none;
}

void PlacedValues::set(Spot spot, int microbatch, ValueId made) {
  OnDevice& here = on_device_[spot];
  if (microbatch == kEveryMicrobatch) {
    here.shared = made;
    return;
  }
  if (here.own.empty()) here.own.resize(microbatches_, ValueId::none);
  nth(here.own, microbatch) = made;
}

void PlacedValues::set(ValueId id, int microbatch, int device, ValueId made) {
  set(spot(id, device), microbatch, made);
}

ValueId PlacedValues::send(ValueId id, int microbatch, int from, int to) {
  const ValueId source = find(id, microbatch, from);
  FOREFLOW_CHECK(source != ValueId::none, "%" + builder_.function().name + ": value " + std::to_string(ir::index(id)) +
                                              " is made before it is sent to device " + std::to_string(to + 1));
  const ValueId sent = builder_.op("Send", {source}, {{"to", device_of(id, to)}});
  set(id, microbatch, to, sent);
  return sent;
}

void PlacedValues::reshard(const ir::Function& function, const ir::Op& op, std::span<const ir::ValueId> operands,
                           int microbatch, int to) {
  std::vector<int64_t> devices;
  for (uint32_t i = 0; i < op.result_count; ++i) devices.push_back(device_of(function.output(op, i), to).index);
  ir::Attributes attributes = *op.attributes;
  attributes.set("to", std::move(devices));
  const auto made = builder_.append(op.def, -1, builder_.share(std::move(attributes)), operands, op.result_count);
  for (uint32_t i = 0; i < op.result_count; ++i)
    set(function.output(op, i), microbatch, to, static_cast<ir::ValueId>(ir::index(made) + i));
}

std::vector<int> PlacedValues::devices_of(ValueId id) const {
  std::vector<int> devices;
  for (const Spot spot : at_[ir::index(id)]) {
    if (on_device_[spot].shared != ValueId::none) devices.push_back(on_device_[spot].device);
  }
  return devices;
}

}  // namespace foreflow::transform
