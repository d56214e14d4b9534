#include <algorithm>

#include "foreflow/base/nth.h"
#include "ops/common/elementwise.h"
#include "ops/common/letters.h"
#include "ops/matrix/equation.h"
#include "ops/matrix/equation_gradient.h"

namespace foreflow::ops::definitions::einsum {

namespace {

bool ranks_known(const OpCall& call) {
  return std::all_of(call.inputs.begin(), call.inputs.end(),
                     [](const Type& type) { return has_rank(type) || type.kind == Type::Kind::scalar; });
}

Dims dims_of(const OpCall& call, const Equation& equation, const std::string& labels) {
  Dims dims;
  for (const char label : labels) dims.push_back(size_of_label(call, equation, label));
  return dims;
}

std::string summed_labels(const Equation& equation) {
  std::string labels;
  for (const char label : equation.labels()) {
    if (equation.result.find(label) == std::string::npos) labels += label;
  }
  return labels;
}

std::vector<Type> infer(const OpCall& call) {
  std::vector<Type> operands;
  for (size_t i = 0; i < call.arity(); ++i) operands.push_back(tensor_operand(call, i));
  const std::optional<DType> dtype = common_dtype(call, operands);
  if (!dtype) return {Type{}};
  if (!ranks_known(call)) return {Type::unranked(*dtype)};
  const Equation equation = equation_of(call);
  // Labels that are summed are checked here, too, where the place of an error is known.
  dims_of(call, equation, equation.labels());
  return {Type::tensor(*dtype, dims_of(call, equation, equation.result))};
}

// The letters of the equation. A dimension that stretches, and one that runs along a diagonal, stays whole everywhere.
Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const Equation equation = equation_of(call);
  std::string whole;
  for (const char label : equation.labels()) {
    bool stretches = false;
    for (size_t i = 0; i < call.arity(); ++i) {
      const size_t axis = equation.operands[i].find(label);
      if (axis != std::string::npos && call.inputs[i].dims[axis] != size_of_label(call, equation, label))
        stretches = true;
    }
    if (stretches || equation.repeats(label)) whole += label;
  }
  const std::string labels = equation.labels();
  const auto lettered      = [&](std::string text) {
    for (char& label : text)
      label = whole.find(label) != std::string::npos ? '.' : letters(labels.size())[labels.find(label)];
    return text;
  };
  std::vector<std::string> inputs;
  for (const std::string& operand : equation.operands) inputs.push_back(lettered(operand));
  return {.text = factor_text(call, inputs, {lettered(equation.result)})};
}

// How far apart neighbours along each label are in an operand: 0 along a label that it lacks or stretches.
Offsets strides_along(const std::string& labels, const std::string& operand, const Dims& dims) {
  const Offsets strides = strides_of(dims);
  Offsets along(labels.size(), 0);
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    const size_t label = labels.find(operand[axis]);
    if (label != std::string::npos && dims[axis] != 1) along[label] += strides[axis];
  }
  return along;
}

std::vector<Array> eval(const OpCall& call) {
  const Equation equation  = equation_of(call);
  const std::string summed = summed_labels(equation);
  const Dims dims = dims_of(call, equation, equation.result), sums = dims_of(call, equation, summed);
  std::vector<Offsets> starts, steps;  // of each operand: for every element of the result, for every term of its sum
  for (size_t i = 0; i < call.arity(); ++i) {
    const Dims& own = value_of(call, i).dims();
    starts.push_back(offsets_of(dims, strides_along(equation.result, equation.operands[i], own)));
    steps.push_back(offsets_of(sums, strides_along(summed, equation.operands[i], own)));
  }
  return {with_number_type(value_of(call, 0).dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<std::vector<T>> operands;
    for (size_t i = 0; i < call.arity(); ++i) operands.push_back(values_of<T>(value_of(call, i)));
    std::vector<T> result(static_cast<size_t>(element_count(dims)));
    for (size_t at = 0; at < result.size(); ++at) {
      for (size_t term = 0; term < steps[0].size(); ++term) {
        T product{1};
        for (size_t i = 0; i < operands.size(); ++i) {
          product = wrapping(std::multiplies{}, product, nth(operands[i], starts[i][at] + steps[i][term]));
        }
        result[at] = wrapping(std::plus{}, result[at], product);
      }
    }
    return array_of<T>(value_of(call, 0).dtype(), dims, result);
  })};
}

// One product and one sum for each operand beyond the first, at every combination of labels.
Work work(const OpCall& call, std::span<const Type> outputs) {
  double flops = static_cast<double>(std::max<size_t>(2, call.arity()));
  if (!ranks_known(call)) return moves(call, outputs);
  const Equation equation = equation_of(call);
  for (const int64_t dim : dims_of(call, equation, equation.labels()))
    flops *= static_cast<double>(std::max<int64_t>(dim, 0));
  return computes(call, outputs, flops);
}

std::vector<Sample> samples() {
  const auto equation = [](const char* text) { return Attributes{{"equation", std::string(text)}}; };
  return {{equation("bij, bjk -> bik"), {f32({2, 4, 2}), f32({2, 2, 6})}},
          {equation("...ii->...i"), {f32({2, 3, 3})}},
          {equation("...i,...i"), {f32({2, 1, 4}), f32({3, 4})}},
          {equation("ij,k,jl->il"), {f32({2, 2}), f32({3}), f32({2, 4})}},
          {equation("ij->i"), {f32({4, 2})}},
          {equation("i,i"), {f32({4}), f32({4})}}};
}

}  // namespace

OpDef row() {
  return {
      .name          = "Einsum",
      .doc           = "products of the operands summed as `equation` says: \"bij,bjk->bik\"",
      .product       = ir::Product::letters,
      .kernels       = ir::Kernels::product,
      .whole_because = "its equation does not treat that dimension by itself",
      .infer         = infer,
      .factors       = factors,
      .work          = work,
      .eval          = eval,
      .grad          = grad_einsum,
      .samples       = samples,
  };
}

}  // namespace foreflow::ops::definitions::einsum
