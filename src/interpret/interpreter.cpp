#include "foreflow/interpret/interpreter.h"

#include <algorithm>

#include "foreflow/base/nth.h"

namespace foreflow::interpret {

std::vector<bool> functions_naming_devices(const ir::Module& module) {
  std::vector<bool> names(module.functions.size());
  for (size_t f = 0; f < module.functions.size(); ++f) {
    const ir::Function& function = module.functions[f];
    const bool annotated = std::any_of(function.values.begin(), function.values.end(), [](const ir::Value& value) {
      return value.annotation != nullptr && ir::device_of(*value.annotation).placed();
    });
    names[f]             = annotated || std::any_of(function.ops.begin(), function.ops.end(), [&](const ir::Op& op) {
                 return ir::names_devices(op) || (op.is_call() && nth(names, op.callee));
               });
  }
  return names;
}

}  // namespace foreflow::interpret
