#include <algorithm>
#include <cmath>
#include <optional>

#include "foreflow/base/nth.h"
#include "foreflow/ir/uses.h"
#include "foreflow/transform/autodiff.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

constexpr double kLeastPenalty = 1000;

class MaskFinder {
 public:
  explicit MaskFinder(const ir::Function& function)
      : function_(function), makers_(ir::makers_of(function)), readers_(function), is_result_(function.values.size()) {
    for (const ValueId id : function.results) is_result_[ir::index(id)] = true;
  }

  bool is_mask(ValueId parameter) const {
    Evidence evidence;
    return follow(parameter, evidence) && evidence.selects && evidence.penalises;
  }

 private:
  struct Evidence {
    bool selects = false, penalises = false;
  };

  // Returns true if everything that reads the value reads it as a mask.
  bool follow(ValueId id, Evidence& evidence) const {
    const auto readers = readers_[ir::index(id)];
    return !is_result_[ir::index(id)] && std::all_of(readers.begin(), readers.end(), [&](int32_t o) {
      return reads_mask(nth(function_.ops, o), id, evidence);
    });
  }

  bool reads_mask(const ir::Op& op, ValueId id, Evidence& evidence) const {
    if (op.is_call()) return false;
    const auto inputs = function_.inputs(op);
    if (op.def->role == ir::Role::shape) return true;
    if (op.def->role == ir::Role::view && op.result_count == 1 && std::count(inputs.begin(), inputs.end(), id) == 1)
      return inputs[0] == id && follow(function_.output(op, 0), evidence);
    if (inputs.size() != 2 || inputs[0] == inputs[1]) return false;
    const ValueId other = inputs[inputs[0] == id ? 1 : 0];
    if (op.def->name == "Mul") {
      evidence.selects = true;
      return ir::index(other) >= function_.parameters.size();
    }
    if (op.def->name != "Sub" || inputs[1] != id || number(other) != 1) return false;
    evidence.penalises = true;
    return is_penalty(function_.output(op, 0));
  }

  bool is_penalty(ValueId hidden) const {
    const auto readers = readers_[ir::index(hidden)];
    return !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](int32_t o) {
      const ir::Op& op  = nth(function_.ops, o);
      const auto inputs = function_.inputs(op);
      return !op.is_call() && op.def->name == "Mul" && std::any_of(inputs.begin(), inputs.end(), [&](ValueId factor) {
        return std::abs(number(factor).value_or(0)) >= kLeastPenalty;
      });
    });
  }

  // The number of a constant of one element.
  std::optional<double> number(ValueId id) const {
    const int32_t maker = makers_[ir::index(id)];
    if (maker < 0) return std::nullopt;
    const ir::Op& op = nth(function_.ops, maker);
    if (op.is_call() || op.def->name != "Constant") return std::nullopt;
    const ir::Array* value = op.attributes->find_array("value");
    return value == nullptr || value->size() != 1 ? std::nullopt : std::optional(value->at(0));
  }

  const ir::Function& function_;
  std::vector<int32_t> makers_;
  ir::Readers readers_;
  std::vector<bool> is_result_;
};

}  // namespace

std::vector<bool> mask_weights(const ir::Module& module) {
  const ir::Function& function = module.entry();
  const MaskFinder finder(function);
  std::vector<bool> masks(function.parameters.size());
  for (size_t i = 0; i < masks.size(); ++i) {
    const ir::TypeRef& type = function.values[i].annotation;
    const bool floats       = type != nullptr && type->is_tensor() && ir::is_float(type->dtype);
    masks[i]                = floats && type->dims.size() >= 2 && function.parameters[i] == ir::ParameterRole::weight &&
               finder.is_mask(static_cast<ValueId>(i));
  }
  return masks;
}

}  // namespace foreflow::transform
