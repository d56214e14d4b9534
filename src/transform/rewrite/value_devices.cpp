#include "transform/rewrite/value_devices.h"

#include <set>

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
  explicit Walk(const ir::Module& module)
      : module_(module),
        locations_(interpret::locate(module, module.functions.size() - 1)),
        devices_(module.functions.size()) {}

  std::vector<std::vector<Device>> run() && {
    visit(static_cast<int32_t>(locations_.instances.size()) - 1, {});
    return std::move(devices_);
  }

 private:
  void visit(int32_t number, const interpret::DeviceMap& map) {
    if (!seen_.emplace(number, map).second) return;
    const auto& instance       = locations_.instances[static_cast<size_t>(number)];
    std::vector<Device>& known = devices_[instance.function];
    const bool first           = known.empty();
    for (size_t i = 0; i < instance.values.size(); ++i) {
      Device device = only_device(instance.values[i]);
      if (device.placed() && !map.empty()) device = interpret::renamed(device, map);
      if (first) known.push_back(device);
      if (known[i] != device) known[i] = Device();
    }
    const ir::Function& function = module_.functions[instance.function];
    for (size_t o = 0; o < instance.callee.size(); ++o) {  // none where there is no call
      if (instance.callee[o] < 0) continue;
      const bool stated = ir::call_devices(function.ops[o]) != nullptr;
      visit(instance.callee[o], stated ? interpret::DeviceMap() : interpret::composed(instance.maps[o], map));
    }
  }

  const ir::Module& module_;
  const interpret::Locations locations_;
  std::vector<std::vector<Device>> devices_;
  std::set<std::pair<int32_t, interpret::DeviceMap>> seen_;
};

}  // namespace

std::vector<std::vector<Device>> devices_of_values(const ir::Module& module) { return Walk(module).run(); }

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
