#include "foreflow/transform/float_logits.h"

#include <algorithm>
#include <map>

#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/builder.h"
#include "foreflow/ir/in_loss.h"
#include "transform/rewrite/copy.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

bool is_narrow(const ir::Type& type) {
  return type.is_tensor() && (type.dtype == ir::DType::f16 || type.dtype == ir::DType::bf16);
}

class LossWidener {
 public:
  LossWidener(const ir::Module& module, const ir::OpTable& ops)
      : entry_(module.entry()),
        meaning_(interpret::interpret_mixed(module, module.functions.size() - 1)),
        builder_(entry_.name, ops),
        map_(entry_.values.size()) {}

  ir::Function run() {
    copy_parameters(builder_, entry_, map_);
    for (const ir::Op& op : entry_.ops) widens(op) ? widen(op) : copy_op(builder_, entry_, op, map_);
    return builder_.finish(copies(entry_.results, map_));
  }

  bool changes() const {
    return std::any_of(entry_.ops.begin(), entry_.ops.end(), [this](const ir::Op& op) { return widens(op); });
  }

 private:
  const ir::Type& type(ValueId id) const { return meaning_.entry().values[ir::index(id)].type; }

  bool widens(const ir::Op& op) const {
    return !op.is_call() && op.def->loss && op.operand_count > 0 && is_narrow(type(entry_.inputs(op)[0]));
  }

  ValueId cast(ValueId value, ir::DType dtype) {
    return builder_.op("Cast", {value}, {{"to", std::string(ir::name(dtype))}, {std::string(ir::kInLoss), int64_t{1}}});
  }

  void widen(const ir::Op& op) {
    const auto inputs             = entry_.inputs(op);
    std::vector<ValueId> operands = copies(inputs, map_);
    for (size_t i = 0; i < operands.size(); ++i) {  // targets and weights of classes may be numbers of the same type
      if (inputs[i] == ValueId::none || !is_narrow(type(inputs[i]))) continue;
      const auto [wide, fresh] = wide_.try_emplace(inputs[i], ValueId::none);
      if (fresh) wide->second = cast(operands[i], ir::DType::f32);
      operands[i] = wide->second;
    }
    const size_t first = ir::index(builder_.append(op.def, op.callee, op.attributes, operands, op.result_count));
    for (uint32_t i = 0; i < op.result_count; ++i) {
      const ValueId result    = entry_.output(op, i);
      const ir::Value& value  = entry_.value(result);
      const auto made         = static_cast<ValueId>(first + i);
      const ValueId as_it_was = is_narrow(type(result)) ? cast(made, type(result).dtype) : made;
      builder_.set_name(as_it_was, value.name);
      if (value.annotation != nullptr) builder_.annotate(as_it_was, value.annotation);
      map_.set(result, as_it_was);
    }
  }

  const ir::Function& entry_;
  const interpret::MixedInterpretation meaning_;
  ir::FunctionBuilder builder_;
  ValueMap map_;
  std::map<ValueId, ValueId> wide_;  // by what was converted
};

}  // namespace

ir::Module with_float_logits(const ir::Module& module, const ir::OpTable& ops) {
  LossWidener widener(module, ops);
  if (!widener.changes()) return module;
  ir::Module wide       = module;
  wide.functions.back() = widener.run();
  return wide;
}

}  // namespace foreflow::transform
