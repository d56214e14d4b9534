#include "lower/concerned.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace foreflow::lower {
namespace {

using interpret::Instance;
using interpret::Location;
using interpret::Mixed;
using ir::ValueId;

bool is_partly_unplaced(const Location& location) {
  if (location.elements.empty()) return !location.device.placed();
  return std::any_of(location.elements.begin(), location.elements.end(), is_partly_unplaced);
}

std::vector<size_t> chosen(const PositionsByDevice& from, size_t count, const ir::Device& device) {
  if (device.placed()) return from.of(device.index);
  std::vector<size_t> all(count);
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

}  // namespace

void PositionsByDevice::add(size_t position, const std::set<int32_t>& devices) {
  for (const int32_t device : devices) by_device_[device].push_back(position);
}

void PositionsByDevice::add_everywhere(size_t position) { everywhere_.push_back(position); }

std::vector<size_t> PositionsByDevice::of(int32_t device) const {
  const auto found = by_device_.find(device);
  if (found == by_device_.end()) return everywhere_;
  std::vector<size_t> positions;
  std::merge(everywhere_.begin(), everywhere_.end(), found->second.begin(), found->second.end(),
             std::back_inserter(positions));
  return positions;
}

Concerned::Concerned(const ir::Function& function, const Instance<Mixed>& instance, const Instance<Location>& locations)
    : function_(function), locations_(locations) {
  for (size_t i = 0; i < function.parameters.size(); ++i) add(i, {static_cast<ValueId>(i)}, {}, parameters_);
  for (size_t i = 0; i < function.results.size(); ++i) add(i, {function.results[i]}, {}, results_);
  for (size_t o = 0; o < function.ops.size(); ++o) add_op(o, instance);
}

std::vector<size_t> Concerned::parameters(const ir::Device& device) const {
  return chosen(parameters_, function_.parameters.size(), device);
}

std::vector<size_t> Concerned::results(const ir::Device& device) const {
  return chosen(results_, function_.results.size(), device);
}

std::vector<size_t> Concerned::ops(const ir::Device& device) const {
  return chosen(ops_, function_.ops.size(), device);
}

void Concerned::add_op(size_t o, const Instance<Mixed>& instance) {
  const ir::Op& op = function_.ops[o];
  std::vector<ValueId> results;
  for (uint32_t i = 0; i < op.result_count; ++i) results.push_back(function_.output(op, i));
  std::set<int32_t> devices;
  if (op.is_call()) {
    const interpret::DeviceMap& map = instance.maps[o];
    if (map.empty()) return ops_.add_everywhere(o);
    devices.insert(map.begin(), map.end());
  } else {
    for (const ir::Device& device : interpret::devices_of(function_, op, locations_)) devices.insert(device.index);
  }
  add(o, results, std::move(devices), ops_);
}

void Concerned::add(size_t position, const std::vector<ValueId>& values, std::set<int32_t> devices,
                    PositionsByDevice& to) {
  for (const ValueId id : values) {
    const Location& location = locations_.values[ir::index(id)];
    if (is_partly_unplaced(location)) return to.add_everywhere(position);
    for (const ir::Device& device : interpret::devices_of(location)) devices.insert(device.index);
  }
  to.add(position, devices);
}

}  // namespace foreflow::lower
