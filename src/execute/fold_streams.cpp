#include "foreflow/execute/plan.h"

namespace foreflow::execute {
namespace {

ir::Type folded(ir::Type type) {
  if (type.device.placed()) type.device = ir::Device(type.device.index);
  for (ir::Type& element : type.elements) element = folded(std::move(element));
  return type;
}

ir::AttributesRef folded(const ir::AttributesRef& attributes) {
  bool changed = false;
  ir::Attributes result;
  for (const auto& [name, value] : *attributes) {
    const auto* device = std::get_if<ir::Device>(&value);
    changed            = changed || device != nullptr;
    result.set(name, device == nullptr ? value : ir::Attribute(ir::Device(device->index)));
  }
  return changed ? std::make_shared<const ir::Attributes>(std::move(result)) : attributes;
}

}  // namespace

ir::Module fold_streams(const ir::Module& module) {
  ir::Module result = module;
  for (ir::Function& function : result.functions) {
    for (ir::Value& value : function.values) {
      if (value.annotation != nullptr) value.annotation = std::make_shared<const ir::Type>(folded(*value.annotation));
    }
    for (ir::Op& op : function.ops) op.attributes = folded(op.attributes);
  }
  return result;
}

}  // namespace foreflow::execute
