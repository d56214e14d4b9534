#include "ops/common/update.h"

namespace foreflow::ops {

Type infer_update(const OpCall& call, const std::vector<Type>& operands) {
  std::vector<Type> known;
  for (const Type& operand : operands) {
    if (operand.kind != Type::Kind::unknown) known.push_back(moved(operand, {}));
  }
  if (known.empty()) return {};
  return map_leaves(call, known, [&](const std::vector<Type>& leaves) {
    for (const Type& leaf : leaves) {
      if (has_dims(leaf) && has_dims(leaves[0]) && leaf.dims != leaves[0].dims) {
        call.fail("operands are " + to_string(leaves[0].dims) + " and " + to_string(leaf.dims) +
                  "; a weight, its gradient and its state should have the same shape");
      }
    }
    return leaves[0];
  });
}

Array descended(const OpCall& call, const Array& weight, const Array& gradient, double rate) {
  return map_leaves(call, std::vector{weight, gradient}, [rate](const std::vector<Array>& leaves) {
    auto values      = values_of<double>(leaves[0]);
    const auto slope = values_of<double>(leaves[1]);
    for (size_t i = 0; i < values.size(); ++i) values[i] -= rate * slope[i];
    return array_of(leaves[0].dtype(), leaves[0].dims(), values);
  });
}

bool has_master(const OpCall& call, size_t states) {
  const size_t least = 2 + states;
  if (call.arity() == least || call.arity() == least + 1) return call.arity() > least;
  call.fail("has " + std::to_string(call.arity()) + " operands; a weight, its gradient, " + std::to_string(states) +
            " states and perhaps a master weight would be right");
}

std::vector<Type> infer_step(const OpCall& call, size_t states) {
  const bool master = has_master(call, states);
  const std::vector<Type> operands(call.inputs.begin(), call.inputs.end());
  const Type weight = infer_update(call, operands);
  // A state of unknown type has the type of the weight. Beside a master weight it stays unknown, because the precision
  // of the one does not follow from that of the other.
  std::vector<Type> results{operands[0].kind == Type::Kind::unknown && master ? Type{} : weight};
  for (size_t i = 2; i < operands.size(); ++i) {
    const bool unknown = operands[i].kind == Type::Kind::unknown;
    results.push_back(!unknown ? moved(operands[i], {}) : master ? Type{} : weight);
  }
  return results;
}

Factors step_factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const std::string all = letters(tensor_operand(call, 0).dims.size());
  return {.text = factor_text(call, std::vector<std::string>(call.arity(), all),
                              std::vector<std::string>(call.arity() - 1, all))};
}

Work step_work(const OpCall& call, std::span<const Type> outputs, double flops) {
  return computes(call, outputs, flops * count_of(outputs[0]));
}

std::vector<Array> eval_step(const OpCall& call, size_t states, const std::function<void(Element&)>& step) {
  const bool master = has_master(call, states);
  std::vector<Array> operands;
  for (size_t i = 0; i < call.arity(); ++i) operands.push_back(value_of(call, i));
  const auto result = [&](size_t output) {
    return map_leaves(call, operands, [&](const std::vector<Array>& leaves) {
      std::vector<std::vector<double>> numbers;
      for (const Array& leaf : leaves) numbers.push_back(values_of<double>(leaf));
      const std::vector<double>& start = master ? numbers.back() : numbers[0];
      const bool state                 = output > 0 && output <= states;
      std::vector<double> results;
      for (size_t i = 0; i < start.size(); ++i) {
        Element element{.weight = start[i], .gradient = numbers[1][i], .state = {}};
        for (size_t s = 0; s < states; ++s) element.state[s] = numbers[2 + s][i];
        step(element);
        results.push_back(state ? element.state[output - 1] : element.weight);
      }
      const Array& like = leaves[output == 0 ? 0 : output + 1];
      // The short weight is the master weight rounded, not the step rounded: the two never drift apart.
      if (output == 0 && master) results = values_of<double>(array_of(leaves.back().dtype(), like.dims(), results));
      return array_of(like.dtype(), like.dims(), results);
    });
  };
  std::vector<Array> results;
  for (size_t output = 0; output + 1 < call.arity(); ++output) results.push_back(result(output));
  return results;
}

std::vector<Sample> step_samples(const Attributes& attributes, size_t states) {
  const Type half = Type::tensor(DType::f16, {2, 2});
  Sample plain{.attributes = attributes, .inputs = {f32({2, 2}), f32({2, 2})}, .outputs = 1 + states};
  Sample mixed{.attributes = attributes, .inputs = {half, half}, .outputs = 2 + states};
  for (size_t s = 0; s < states; ++s) {
    for (Sample* sample : {&plain, &mixed}) {
      sample->values.emplace_back(sample->inputs.size(), Array::of_floats({2, 2}, {0.5F, 1, 0.25F, 2}));
      sample->inputs.push_back(f32({2, 2}));
    }
  }
  mixed.inputs.push_back(f32({2, 2}));
  return {plain, mixed};
}

}  // namespace foreflow::ops
