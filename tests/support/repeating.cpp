#include "support/repeating.h"

#include <random>

#include "foreflow/base/nth.h"
#include "foreflow/ir/builder.h"
#include "foreflow/ops/table.h"

namespace foreflow::test {
namespace {

using ir::ValueId;

class Writer {
 public:
  explicit Writer(uint64_t seed) : random_(seed), builder_("main", ops::table()) {}

  ir::Module write() {
    for (int i = 0; i < 4; ++i) {
      values_.push_back(builder_.parameter("p" + std::to_string(i),
                                           i < 2 ? ir::ParameterRole::weight : ir::ParameterRole::data,
                                           ir::Type::tensor(ir::DType::f32, {2, 4})));
    }
    std::vector<std::vector<Step>> blocks(static_cast<size_t>(1 + below(3)));
    for (auto& block : blocks) block = random_block();
    for (int i = 0, count = 4 + below(12); i < count; ++i) {
      if (below(3) == 0) values_.push_back(apply({below(kKinds), -1, -1}, {}));
      write_block(nth(blocks, below(static_cast<int>(blocks.size()))));
    }
    ir::Module module;
    module.source = "random";
    module.functions.push_back(
        builder_.finish({values_.back(), nth(values_, below(static_cast<int>(values_.size())))}));
    return module;
  }

 private:
  static constexpr int kKinds = 8;
  struct Step {
    int kind;
    int a, b;  // steps of the block, or -1: any value made so far
  };

  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

  std::vector<Step> random_block() {
    std::vector<Step> steps;
    for (int i = 0, count = 2 + below(7); i < count; ++i)
      steps.push_back({below(kKinds), below(i + 1) - 1, below(i + 1) - 1});
    return steps;
  }

  void write_block(const std::vector<Step>& steps) {
    std::vector<ValueId> made;
    for (const Step& step : steps) made.push_back(apply(step, made));
    values_.insert(values_.end(), made.begin(), made.end());
  }

  ValueId operand(int step, const std::vector<ValueId>& made) {
    return step < 0 ? nth(values_, below(static_cast<int>(values_.size()))) : nth(made, step);
  }

  ValueId apply(const Step& step, const std::vector<ValueId>& made) {
    static const std::vector<std::string> kUnary = {"Relu", "Tanh", "Neg"}, kBinary = {"Add", "Sub", "Max"};
    const ValueId a = operand(step.a, made), b = operand(step.b, made);
    const auto kind = static_cast<size_t>(step.kind);
    if (kind < 3) return builder_.op(kUnary[kind], {a});
    if (kind < 6) return builder_.op(kBinary[kind - 3], {a, b});
    if (kind == 6) return builder_.op("Mul", {a, constant(0.5F)});
    const auto parts = builder_.emit("Split", {b}, {{"axis", int64_t{0}}}, 2);
    return builder_.op("Concat", {parts[1], parts[0]}, {{"axis", int64_t{0}}});
  }

  // Sometimes another number, or a Constant that others read too.
  ValueId constant(float usual) {
    if (shared_ != ValueId::none && below(4) == 0) return shared_;
    const float number = below(4) == 0 ? 0.25F : usual;
    shared_            = builder_.op("Constant", {}, {{"value", ir::Array::scalar(number)}});
    return shared_;
  }

  std::mt19937_64 random_;
  ir::FunctionBuilder builder_;
  std::vector<ValueId> values_;
  ValueId shared_ = ValueId::none;
};

std::string attributes_of(const ir::Op& op) {
  std::string text;
  for (const auto& [name, value] : *op.attributes) text += name + " = " + ir::to_string(value) + " ";
  return text;
}

}  // namespace

ir::Module repeating_program(uint64_t seed) { return Writer(seed).write(); }

std::string anonymous(const ir::Module& module) {
  const ir::Function& function = module.entry();
  std::vector<std::string> names;
  for (size_t i = 0; i < function.parameters.size(); ++i) names.push_back("parameter " + std::to_string(i));
  const auto name_of = [&](ValueId id) { return id == ValueId::none ? "_" : names[ir::index(id)]; };
  std::string text;
  size_t number = 0;
  for (const ir::Op& op : function.ops) {
    if (op.operand_count == 0 && op.result_count == 1 && !op.is_call()) {
      names.push_back(std::string(op.def->name) + " " + attributes_of(op));
      continue;
    }
    text += (op.is_call() ? "call" : std::string(op.def->name)) + " " + attributes_of(op) + "(";
    for (const ValueId id : function.inputs(op)) text += name_of(id) + ", ";
    text += ")\n";
    for (uint32_t i = 0; i < op.result_count; ++i) names.push_back(std::to_string(number) + "." + std::to_string(i));
    ++number;
  }
  for (const ValueId id : function.results) text += name_of(id) + ", ";
  return text;
}

size_t count_ops(const ir::Module& module) {
  size_t count = 0;
  for (const ir::Function& function : module.functions) count += function.ops.size();
  return count;
}

}  // namespace foreflow::test
