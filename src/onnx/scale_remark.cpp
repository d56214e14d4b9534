#include <cmath>
#include <map>

#include "foreflow/onnx/import.h"

namespace foreflow::onnx {
namespace {

// The numbers of a parameter or of a Constant; null where they are not known.
class KnownNumbers {
 public:
  explicit KnownNumbers(const Imported& imported) : function_(imported.module.entry()), weights_(imported.weights) {
    for (const ir::Op& op : function_.ops) {
      if (!op.is_call() && op.def->role == ir::Role::constant) makers_[function_.output(op, 0)] = &op;
    }
  }

  const ir::Array* of(ir::ValueId id) const {
    if (const auto maker = makers_.find(id); maker != makers_.end()) {
      const ir::Attribute* value = maker->second->attributes->find("value");
      return value == nullptr ? nullptr : std::get_if<ir::Array>(value);
    }
    const auto weight = weights_.find(function_.value(id).name);
    return weight == weights_.end() ? nullptr : &weight->second;
  }

 private:
  const ir::Function& function_;
  const std::map<std::string, ir::Array>& weights_;
  std::map<ir::ValueId, const ir::Op*> makers_;
};

bool is_finite(const ir::Array& array) {
  for (int64_t i = 0; i < array.size(); ++i) {
    if (!std::isfinite(array.at(i))) return false;
  }
  return true;
}

}  // namespace

std::string scale_remark(const Imported& imported) {
  constexpr size_t kScale = 1;
  const KnownNumbers numbers(imported);
  const ir::Function& function = imported.module.entry();
  for (const ir::Op& op : function.ops) {
    const bool scales      = !op.is_call() && op.def->takes_scale;
    const ir::Array* scale = scales ? numbers.of(function.inputs(op)[kScale]) : nullptr;
    if (scale == nullptr || is_finite(*scale)) continue;
    return imported.module.source + ": the scale of %" + function.value(function.output(op, 0)).name +
           " is not finite, so numbers behind it mean nothing, and ONNX Runtime may give others; a calibration gives "
           "such a scale where a mask is -inf: quantise with a finite mask";
  }
  return "";
}

}  // namespace foreflow::onnx
