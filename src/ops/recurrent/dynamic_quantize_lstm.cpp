#include <algorithm>

#include "ops/common/quantised.h"
#include "ops/recurrent/recurrent_cells.h"

namespace foreflow::ops::definitions::dynamic_quantize_lstm {

namespace {

using recurrent::Geometry;
using recurrent::kLengths;
using recurrent::kR;
using recurrent::kW;
using recurrent::kX;
using recurrent::LstmCell;

// Operands: those of LSTM with w[d,i,4h] and r[d,h,4h] in bytes; then scale and zero point of w and r, each [d] or
// [d,4h].
constexpr size_t kScaleOfW = recurrent::kOperands, kScaleOfR = kScaleOfW + 2;

size_t scale_of(size_t weight) { return weight == kW ? kScaleOfW : kScaleOfR; }

Type real_weight(const OpCall& call, size_t index) {
  check_quantised(call, index);
  Type type = as_real(call, index);
  if (!has_rank(type)) return type;
  if (type.dims.size() != 3)
    call.fail("operand " + std::to_string(index) + " is " + to_string(type.dims) + "; it should be (directions, " +
              (index == kW ? "inputs" : "hidden") + ", 4 * hidden)");
  std::swap(type.dims[1], type.dims[2]);
  return type;
}

// The types of the operands of the LSTM on real numbers.
std::vector<Type> real_types(const OpCall& call) {
  std::vector<Type> types(call.inputs.begin(), call.inputs.end());
  types.resize(recurrent::kOperands);
  for (const size_t index : {kW, kR}) types[index] = real_weight(call, index);
  return types;
}

// `then` of the call on real numbers; what is known of the operands but the weights is known.
template <class F>
auto as_lstm(const OpCall& call, F&& then) {
  const std::vector<Type> types = real_types(call);
  std::vector<const Array*> known(call.known.begin(), call.known.end());
  known.resize(types.size());
  known[kW] = known[kR] = nullptr;
  return then(OpCall{call.def, call.attributes, types, known, call.outputs});
}

void check_scale(const OpCall& call, size_t index, const Geometry& geometry) {
  if (!call.has(index)) return;
  const Type type = tensor_operand(call, index);
  if (!has_dims(type) || geometry.hidden < 0) return;
  const Dims by_column{geometry.directions, 4 * geometry.hidden};
  if (type.dims != Dims{geometry.directions} && type.dims != by_column)
    call.fail("operand " + std::to_string(index) + " is " + to_string(type.dims) + "; " +
              to_string(Dims{geometry.directions}) + " or " + to_string(by_column) + " would be right");
}

std::vector<Type> infer(const OpCall& call) {
  if (call.arity() <= kScaleOfR || !call.has(kScaleOfW) || !call.has(kScaleOfR))
    call.fail("needs the scales of both weights, operands 8 and 10");
  return as_lstm(call, [&](const OpCall& lstm) {
    const Geometry geometry = recurrent::geometry_of(lstm, LstmCell::kKind);
    for (size_t i = kScaleOfW; i < call.arity(); ++i) check_scale(call, i, geometry);
    return recurrent::infer(lstm, LstmCell::kKind);
  });
}

// The weight as numbers, transposed.
std::vector<double> weight(const OpCall& call, size_t index) {
  const Array& bytes = value_of(call, index);
  const auto numbers = values_of<double>(bytes);
  const auto outer = static_cast<size_t>(bytes.dims()[0]), rows = static_cast<size_t>(bytes.dims()[1]),
             columns = static_cast<size_t>(bytes.dims()[2]);
  const auto scales  = values_of<double>(value_of(call, scale_of(index)));
  const size_t zero  = scale_of(index) + 1;
  const auto zeros   = call.has(zero) ? values_of<double>(value_of(call, zero)) : std::vector<double>(1, 0);
  const auto of      = [&](const std::vector<double>& all, size_t d, size_t column) {
    return all[all.size() == outer * columns ? d * columns + column : all.size() == outer ? d : 0];
  };
  std::vector<double> real(numbers.size());
  for (size_t d = 0; d < outer; ++d) {
    for (size_t j = 0; j < columns; ++j) {
      for (size_t i = 0; i < rows; ++i)
        real[(d * columns + j) * rows + i] =
            (numbers[(d * rows + i) * columns + j] - of(zeros, d, j)) * of(scales, d, j);
    }
  }
  return real;
}

ByteRange range_of_numbers(const std::vector<double>& numbers) {
  if (numbers.empty()) return {};
  const auto [lowest, highest] = std::minmax_element(numbers.begin(), numbers.end());
  return range_of(static_cast<float>(*lowest), static_cast<float>(*highest));
}

// x in bytes of the range that it has until the longest sequence ends.
std::vector<double> rounded_x(const OpCall& call, const Geometry& geometry, const std::vector<int64_t>& lengths) {
  std::vector<double> x = values_of<double>(value_of(call, kX)), read;
  const int64_t longest = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  for (size_t i = 0; i < x.size(); ++i) {
    const auto row     = static_cast<int64_t>(i) / geometry.inputs;
    const int64_t step = geometry.batch_first ? row % geometry.steps : row / geometry.batch;
    if (step < longest) read.push_back(x[i]);
  }
  const ByteRange range = range_of_numbers(read);
  for (double& number : x) number = range.rounded(number);
  return x;
}

// The states of all sequences in bytes of the range that they have together.
struct RoundedStates {
  void operator()(std::vector<std::vector<double>>& states) const {
    std::vector<double> all;
    for (const auto& state : states) all.insert(all.end(), state.begin(), state.end());
    const ByteRange range = range_of_numbers(all);
    for (auto& state : states) {
      for (double& number : state) number = range.rounded(number);
    }
  }
};

std::vector<Array> eval(const OpCall& call) {
  return as_lstm(call, [&](const OpCall& lstm) {
    const Geometry geometry = recurrent::geometry_of(lstm, LstmCell::kKind);
    const auto lengths      = recurrent::lengths_of(lstm, geometry);
    recurrent::Operands<double> operands(recurrent::kOperands);
    for (size_t i = 0; i < recurrent::kOperands; ++i) {
      if (i != kX && i != kW && i != kR && lstm.has(i)) operands[i] = values_of<double>(value_of(lstm, i));
    }
    operands[kX] = rounded_x(lstm, geometry, lengths);
    operands[kW] = weight(call, kW);
    operands[kR] = weight(call, kR);
    return recurrent::results_of(lstm, geometry,
                                 recurrent::run<LstmCell, double>(lstm, operands, lengths, RoundedStates{}));
  });
}

// Ranges are those of all sequences.
Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  std::vector<std::string> inputs, outputs{dots(4), dots(3), dots(3)};
  for (size_t i = 0; i < call.arity(); ++i)
    inputs.push_back(call.has(i) ? dots(tensor_operand(call, i).dims.size()) : std::string());
  outputs.resize(call.outputs);
  return {.text = factor_text(call, inputs, outputs)};
}

Work work(const OpCall& call, std::span<const Type> outputs) {
  return as_lstm(call, [&](const OpCall& lstm) {
    const Work real = recurrent::work(lstm, outputs, LstmCell::kKind);
    return computes(call, outputs, real.flops.value(), 2 * real.kernels);  // each product after a rounding
  });
}

std::vector<Sample> samples() {
  constexpr int64_t kSteps = 3, kBatch = 2, kInputs = 3, kHidden = 2;
  const auto bytes  = [](const Dims& dims) { return Type::tensor(DType::u8, dims); };
  const auto scales = [](size_t operand, const Dims& dims) {
    return std::pair{
        operand, array_of(DType::f32, dims, std::vector<double>(static_cast<size_t>(ir::element_count(dims)), 0.01))};
  };
  const Type x = f32({kSteps, kBatch, kInputs});
  return {{.attributes = {{"hidden_size", kHidden}},
           .inputs     = {x,
                          bytes({1, kInputs, 4 * kHidden}),
                          bytes({1, kHidden, 4 * kHidden}),
                          {},
                          {},
                          {},
                          {},
                          {},
                          f32({1}),
                          bytes({1}),
                          f32({1}),
                          bytes({1})},
           .values     = {scales(kScaleOfW, {1}), scales(kScaleOfR, {1})},
           .outputs    = 1},
          {.attributes = {{"direction", "bidirectional"}},
           .inputs     = {x,
                          bytes({2, kInputs, 4 * kHidden}),
                          bytes({2, kHidden, 4 * kHidden}),
                          f32({2, 8 * kHidden}),
                          i64({kBatch}),
                          f32({2, kBatch, kHidden}),
                          f32({2, kBatch, kHidden}),
                          f32({2, 3 * kHidden}),
                          f32({2, 4 * kHidden}),
                          {},
                          f32({2, 4 * kHidden})},
           .values     = {{kLengths, Array::of_ints({kBatch}, {2, 3})},
                          scales(kScaleOfW, {2, 4 * kHidden}),
                          scales(kScaleOfR, {2, 4 * kHidden})},
           .outputs    = 3}};
}

}  // namespace

OpDef row() {
  return {
      .name = "DynamicQuantizeLSTM",
      .doc =
          "LSTM with w[d,i,4h] and r[d,h,4h] in 8 bits, their scales and zero points; x, and h at every step, "
          "are quantised by their ranges",
      .domain        = "com.microsoft",
      .whole_because = "its scale and zero point come from the range of all samples",
      .instead       = "quantised statically, with scales from a calibration, the model can",
      .infer         = infer,
      .factors       = factors,
      .work          = work,
      .eval          = eval,
      .samples       = samples,
  };
}

}  // namespace foreflow::ops::definitions::dynamic_quantize_lstm
