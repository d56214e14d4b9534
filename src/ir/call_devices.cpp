#include "foreflow/ir/call_devices.h"

#include <set>

namespace foreflow::ir {
namespace {

std::string_view attribute_with_devices(const Op& op) { return op.is_call() ? kCallDevices : "to"; }

}  // namespace

const std::vector<int64_t>* call_devices(const Op& op) {
  const Attribute* devices = op.is_call() ? op.attributes->find(kCallDevices) : nullptr;
  return devices == nullptr ? nullptr : std::get_if<std::vector<int64_t>>(devices);
}

std::string call_problem(const Attributes& attributes) {
  for (const auto& [name, value] : attributes) {
    if (name != kCallDevices) return "is a call, which states nothing but devices = [...]; remove " + name;
    const auto* devices = std::get_if<std::vector<int64_t>>(&value);
    if (devices == nullptr || devices->empty())
      return "states as its devices " + to_string(value) + "; write a list of their numbers, as in [3, 4]";
    const std::set<int64_t> distinct(devices->begin(), devices->end());
    if (distinct.size() != devices->size()) return "states a device twice";
    if (*distinct.begin() < 0 || *distinct.rbegin() > INT32_MAX)
      return "states as its devices " + to_string(value) + ", which is no number of a device";
  }
  return {};
}

bool names_devices(const Op& op) {
  if (!op.is_call() && op.def->role != Role::communication) return false;
  return op.attributes->find(attribute_with_devices(op)) != nullptr;
}

std::vector<Device> destinations(const Attributes& attributes) {
  const auto* list = std::get_if<std::vector<int64_t>>(attributes.find("to"));
  if (list == nullptr) return {attributes.get_device("to")};
  const std::string stream = attributes.string_or(kStream, "");
  std::vector<Device> devices;
  for (const int64_t number : *list) devices.emplace_back(static_cast<int32_t>(number), stream);
  return devices;
}

Attributes with_devices(const Op& op, const std::function<Device(const Device&)>& renamed) {
  Attributes attributes = *op.attributes;
  if (!names_devices(op)) return attributes;
  const std::string name(attribute_with_devices(op));
  if (const auto* list = std::get_if<std::vector<int64_t>>(attributes.find(name))) {
    std::vector<int64_t> devices = *list;
    for (int64_t& device : devices) device = renamed(Device(static_cast<int32_t>(device))).index;
    attributes.set(name, std::move(devices));
  } else {
    attributes.set(name, renamed(attributes.get_device(name)));
  }
  return attributes;
}

}  // namespace foreflow::ir
