#include "transform/rewrite/stated_devices.h"

#include "foreflow/base/nth.h"
#include "foreflow/ir/call_devices.h"

namespace foreflow::transform {

std::vector<const MixedInstance*> instance_by_function(const ir::Module& module,
                                                       const interpret::MixedInterpretation& interpretation) {
  std::vector<const MixedInstance*> found(module.functions.size(), nullptr);
  std::vector<bool> differs(module.functions.size());
  for (const auto& instance : interpretation.instances) {
    const auto*& known = found[instance.function];
    for (size_t i = 0; known != nullptr && i < instance.values.size(); ++i) {
      if (known->values[i].type != instance.values[i].type) differs[instance.function] = true;
    }
    if (known != nullptr && known->maps != instance.maps) differs[instance.function] = true;
    known = &instance;
  }
  for (size_t f = found.size(); f-- > 0;) {
    if (differs[f]) found[f] = nullptr;
    if (found[f] != nullptr) continue;
    for (const ir::Op& op : module.functions[f].ops) {
      if (op.is_call()) nth(differs, op.callee) = true;
    }
  }
  return found;
}

ir::Op with_stated_devices(ir::FunctionBuilder& builder, const ir::Function& function, size_t o,
                           const MixedInstance* instance) {
  ir::Op op = function.ops[o];
  FOREFLOW_CHECK(instance != nullptr, "a function with several instances calls none that names devices");
  const interpret::DeviceMap& map = instance->maps[o];
  if (ir::call_devices(op) == nullptr && !map.empty())
    op.attributes = builder.share({{std::string(ir::kCallDevices), std::vector<int64_t>(map.begin(), map.end())}});
  return op;
}

}  // namespace foreflow::transform
