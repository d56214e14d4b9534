#include "foreflow/transform/unfuse.h"

#include <algorithm>

#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/builder.h"
#include "foreflow/ir/text.h"
#include "transform/rewrite/copy.h"
#include "transform/rewrite/op_types.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// The builder that the row of a fused op gets. Handles are values of the new function.
class FusedSite : public ir::CallBuilder {
 public:
  FusedSite(ir::FunctionBuilder& builder, const ValueMap& map, std::span<const ValueId> operands,
            const ir::OpCall& call)
      : builder_(builder), map_(map), operands_(operands), call_(call) {}

  const ir::OpCall& call() const override { return call_; }
  int input(size_t index) override { return static_cast<int>(map_(operands_[index])); }
  std::vector<int> emit(std::string_view op, ir::Attributes attributes, std::vector<int> inputs,
                        size_t outputs) override {
    std::vector<ValueId> operands;
    for (const int handle : inputs) operands.push_back(static_cast<ValueId>(handle));
    std::vector<int> handles;
    for (const ValueId id : builder_.emit(op, operands, std::move(attributes), outputs))
      handles.push_back(static_cast<int>(id));
    return handles;
  }

 private:
  ir::FunctionBuilder& builder_;
  const ValueMap& map_;
  const std::span<const ValueId> operands_;
  const ir::OpCall& call_;
};

bool is_fused(const ir::Op& op) { return !op.is_call() && op.def->unfused != nullptr; }

}  // namespace

ir::Module unfuse(const ir::Module& module, const ir::OpTable& ops) {
  const ir::Function& function = module.entry();
  if (std::none_of(function.ops.begin(), function.ops.end(), is_fused)) return module;
  const auto interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  ir::FunctionBuilder builder(function.name, ops);
  ValueMap map(function.values.size());
  copy_parameters(builder, function, map);
  for (const ir::Op& op : function.ops) {
    ValueId made = ValueId::none;
    if (is_fused(op)) {
      const OpTypes types(function, op, interpretation.entry().values);
      const ir::OpCall call = types.call();
      FusedSite site(builder, map, function.inputs(op), call);
      made = static_cast<ValueId>(op.def->unfused(site));
    }
    if (made == ValueId::none) {
      copy_op(builder, function, op, map);
      continue;
    }
    const ValueId old = function.output(op, 0);
    builder.set_name(made, function.value(old).name);
    builder.annotate(made, function.value(old).annotation);
    map.set(old, made);
  }
  ir::Module result       = module;
  result.functions.back() = builder.finish(copies(function.results, map));
  ir::verify(result);
  return result;
}

}  // namespace foreflow::transform
