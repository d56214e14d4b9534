#include "transform/rewrite/value_devices.h"

#include <set>
#include <unordered_map>

#include "foreflow/base/nth.h"
#include "foreflow/interpret/devices.h"
#include "foreflow/ir/call_devices.h"

namespace foreflow::transform {

using ir::Device;

namespace {

// Not placed: none, or several.
Device only_device(const interpret::Location& location) {
  if (location.elements.empty()) return location.device;
  const std::set<Device> devices = interpret::devices_of(location);
  return devices.size() == 1 ? *devices.begin() : Device();
}

// Follows calls: instances have devices of their own, which maps take to those that the function's text names.
class Walk {
 public:
  Walk(const ir::Module& module, const std::vector<bool>& wanted)
      : module_(module),
        wanted_(wanted),
        leads_to_wanted_(wanted),
        locations_(interpret::locate(module, module.functions.size() - 1)),
        devices_(module.functions.size()) {
    for (size_t f = 0; f < module.functions.size(); ++f) {  // callees stand before their callers
      for (const ir::Op& op : module.functions[f].ops) {
        if (op.is_call() && nth(leads_to_wanted_, op.callee)) leads_to_wanted_[f] = true;
      }
    }
  }

  std::vector<std::vector<Device>> run() && {
    visit(static_cast<int32_t>(locations_.instances.size()) - 1, {});
    return std::move(devices_);
  }

 private:
  void visit(int32_t number, const interpret::DeviceMap& map) {
    const auto& instance = nth(locations_.instances, number);
    if (!leads_to_wanted_[instance.function] || !seen_.emplace(number, map).second) return;
    if (wanted_[instance.function]) note(instance, map);
    const ir::Function& function = module_.functions[instance.function];
    for (size_t o = 0; o < instance.callee.size(); ++o) {  // none where there is no call
      if (instance.callee[o] < 0 || !nth(leads_to_wanted_, function.ops[o].callee)) continue;
      const bool stated = ir::call_devices(function.ops[o]) != nullptr;
      visit(instance.callee[o], stated ? interpret::DeviceMap() : interpret::composed(instance.maps[o], map));
    }
  }

  void note(const interpret::Instance<interpret::Location>& instance, const interpret::DeviceMap& map) {
    std::vector<Device>& known = devices_[instance.function];
    const bool first           = known.empty();
    known.resize(instance.values.size());
    std::unordered_map<uint32_t, Device> devices;  // by number of a distinct value
    for (size_t i = 0; i < instance.values.size(); ++i) {
      const auto [found, fresh] = devices.try_emplace(instance.values.number(i));
      if (fresh) {
        const Device device = only_device(instance.values[i]);
        found->second       = device.placed() && !map.empty() ? interpret::renamed(device, map) : device;
      }
      if (first) known[i] = found->second;
      if (known[i] != found->second) known[i] = Device();
    }
  }

  const ir::Module& module_;
  const std::vector<bool>& wanted_;    // by function
  std::vector<bool> leads_to_wanted_;  // the function is wanted, or calls one that is
  const interpret::Locations locations_;
  std::vector<std::vector<Device>> devices_;
  std::set<std::pair<int32_t, interpret::DeviceMap>> seen_;
};

}  // namespace

std::vector<std::vector<Device>> devices_of_values(const ir::Module& module, const std::vector<bool>& wanted) {
  return Walk(module, wanted).run();
}

std::vector<std::vector<Device>> devices_of_values(const ir::Module& module) {
  return devices_of_values(module, std::vector<bool>(module.functions.size(), true));
}

ir::Module placed_on_first(const ir::Module& module) {
  if (!interpret::devices_of(interpret::locate(module, module.functions.size() - 1)).empty()) return module;
  ir::Module placed      = module;
  ir::Function& function = placed.functions.back();
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    ir::TypeRef& annotation = function.values[i].annotation;
    const ir::Type type     = annotation == nullptr ? ir::Type::on(Device(1)) : ir::moved(*annotation, Device(1));
    annotation              = std::make_shared<const ir::Type>(type);
  }
  return placed;
}

}  // namespace foreflow::transform
