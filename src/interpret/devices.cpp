#include "foreflow/interpret/devices.h"

#include <fmt/format.h>

#include <optional>

#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "foreflow/ir/call_devices.h"

namespace foreflow::interpret {
namespace {

using ir::Device;

void collect(const Location& location, std::set<Device>& devices) {
  if (location.device.placed()) devices.insert(location.device);
  for (const Location& element : location.elements) collect(element, devices);
}

Location moved(Location location, const Device& device) {
  if (location.elements.empty()) location.device = device;
  for (Location& element : location.elements) element = moved(std::move(element), device);
  return location;
}

std::string list_of(const std::set<Device>& devices) {
  std::string text;
  for (const Device& device : devices) text += (text.empty() ? "D" : " and D") + ir::to_string(device);
  return text;
}

// The name of an operand, "%x", for errors. The function is found by the address of the op.
std::string operand_name(const ir::Module& module, const ir::Op& op, size_t index) {
  for (const ir::Function& function : module.functions) {
    const std::less<const ir::Op*> before;
    const ir::Op* const first = function.ops.data();
    if (before(&op, first) || !before(&op, first + function.ops.size())) continue;
    const ir::ValueId id    = function.inputs(op)[index];
    const std::string& name = function.value(id).name;
    return "%" + (name.empty() ? "v" + std::to_string(ir::index(id)) : name);
  }
  return "operand " + std::to_string(index);
}

// The one device of all placed operands.
Device common_device(const ir::Module& module, const ir::Op& op, std::span<const Location> inputs) {
  std::optional<size_t> first;
  Device common;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::set<Device> here = devices_of(inputs[i]);
    if (here.size() > 1) {
      throw Error("devices", operand_name(module, op, i) + " is a tuple on " + list_of(here) +
                                 "; a tuple on one device would be right");
    }
    if (here.empty()) continue;
    if (first && *here.begin() != common) {
      const std::string a = operand_name(module, op, *first), b = operand_name(module, op, i);
      throw Error(
          "devices",
          fmt::format("{0} lives on D{1} and {2} on D{3}; Send({2}, {1}) or Send({0}, {3}) first would be right", a,
                      ir::to_string(common), b, ir::to_string(*here.begin())));
    }
    if (!first) first = i;
    common = *here.begin();
  }
  return common;
}

// Every operand of a communication lives on a device of its own.
void check_group(const ir::Module& module, const ir::Op& op, std::span<const Location> inputs) {
  std::map<Device, size_t> members;
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (const Device& device : devices_of(inputs[i])) {
      const auto [other, is_new] = members.emplace(device, i);
      if (is_new) continue;
      throw Error("devices", operand_name(module, op, other->second) + " and " + operand_name(module, op, i) +
                                 " are both on D" + ir::to_string(device) +
                                 "; each operand on a device of its own would be right");
    }
  }
}

}  // namespace

Location location_of(const ir::Type& type) {
  if (type.elements.empty()) return {type.device, {}};
  Location location;
  for (const ir::Type& element : type.elements) location.elements.push_back(location_of(element));
  return location;
}

std::set<Device> devices_of(const Location& location) {
  std::set<Device> devices;
  collect(location, devices);
  return devices;
}

std::vector<Location> DeviceDomain::apply(const ir::Op& op, std::span<const Location> inputs) const {
  if (op.def->role != ir::Role::communication) {
    return std::vector<Location>(op.result_count, Location{common_device(module, op, inputs), {}});
  }
  if (inputs.empty()) throw Error("devices", "has no operands; one for each device would be right");
  check_group(module, op, inputs);
  std::vector<Location> results;
  if (op.attributes->find("to") != nullptr) {
    for (const Device& device : ir::destinations(*op.attributes)) results.push_back(moved(inputs[0], device));
    return results;
  }
  return {inputs.begin(), inputs.end()};
}

Location DeviceDomain::refine(Location location, const ir::Type& annotation) const {
  if (location.elements.empty() && annotation.elements.empty()) {
    if (!annotation.device.placed() || annotation.device == location.device) return location;
    if (!location.device.placed()) return location_of(annotation);
  }
  const std::set<Device> lives  = devices_of(location);
  const std::set<Device> stated = devices_of(location_of(annotation));
  if (stated.empty()) return location;
  if (lives.empty()) return location_of(annotation);
  if (lives != stated) {
    throw Error("annotation", "is annotated as on " + list_of(stated) + " but lives on " + list_of(lives) +
                                  "; a Send would take it there");
  }
  return location;
}

void DeviceDomain::append_key(const Location& location, std::string& key) const {
  const ir::Device& device = location.device;
  key.append(reinterpret_cast<const char*>(&device.index), sizeof(device.index));
  key.append(device.stream.data(), device.stream.size());
  key += '(';
  for (const Location& element : location.elements) append_key(element, key);
  key += ')';
}

Locations locate(const ir::Module& module, size_t entry, const std::vector<Location>& arguments) {
  std::vector<Location> locations = arguments;
  if (locations.empty()) {
    const ir::Function& function = module.functions[entry];
    for (size_t i = 0; i < function.parameters.size(); ++i) {
      const ir::TypeRef& annotation = function.values[i].annotation;
      locations.push_back(annotation == nullptr ? Location() : location_of(*annotation));
    }
  }
  return Interpreter<DeviceDomain>(module, {module}).run(entry, std::move(locations));
}

std::set<Device> devices_of(const ir::Function& function, const ir::Op& op, const Instance<Location>& instance) {
  std::set<Device> devices;
  for (const ir::ValueId id : function.inputs(op)) {
    if (id != ir::ValueId::none) collect(instance.values[ir::index(id)], devices);
  }
  for (uint32_t i = 0; i < op.result_count; ++i) collect(instance.values[op.first_result + i], devices);
  return devices;
}

ir::Type renamed(ir::Type type, const DeviceMap& map) {
  if (!map.empty()) type.device = renamed(type.device, map);
  for (ir::Type& element : type.elements) element = renamed(std::move(element), map);
  return type;
}

DeviceMap composed(DeviceMap inner, const DeviceMap& outer) {
  if (inner.empty()) return outer;
  if (outer.empty()) return inner;
  for (int32_t& device : inner) device = nth(outer, device - 1);
  return inner;
}

std::set<Device> devices_of(const Locations& locations) {
  std::set<Device> devices;
  std::set<std::pair<int32_t, DeviceMap>> seen;
  std::vector<std::pair<int32_t, DeviceMap>> left{{static_cast<int32_t>(locations.instances.size() - 1), {}}};
  while (!left.empty()) {
    const auto [number, map] = left.back();
    left.pop_back();
    if (!seen.emplace(number, map).second) continue;
    const Instance<Location>& instance = nth(locations.instances, number);
    for (const Location& location : instance.values) {
      for (const Device& device : devices_of(location)) devices.insert(map.empty() ? device : renamed(device, map));
    }
    for (size_t o = 0; o < instance.callee.size(); ++o) {
      if (instance.callee[o] >= 0) left.emplace_back(instance.callee[o], composed(instance.maps[o], map));
    }
  }
  return devices;
}

}  // namespace foreflow::interpret
