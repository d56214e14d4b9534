#include "ops/recurrent/recurrent.h"

namespace foreflow::ops::recurrent {

namespace {

int64_t dim(const Type& type, size_t axis) { return has_rank(type) ? type.dims[axis] : Dims::kUnknown; }

Type operand_of_rank(const OpCall& call, size_t index, size_t rank, const char* form) {
  const Type type = tensor_operand(call, index);
  if (has_rank(type) && type.dims.size() != rank) {
    call.fail("operand " + std::to_string(index) + " is " + to_string(type.dims) + "; it should be " + form);
  }
  return type;
}

void check_dims(const OpCall& call, size_t index, const Dims& right) {
  if (!call.has(index)) return;
  const Type type = tensor_operand(call, index);
  if (!has_rank(type)) return;
  bool fits = type.dims.size() == right.size();
  for (size_t axis = 0; fits && axis < right.size(); ++axis) {
    fits = type.dims[axis] == Dims::kUnknown || right[axis] == Dims::kUnknown || type.dims[axis] == right[axis];
  }
  if (!fits) {
    call.fail("operand " + std::to_string(index) + " is " + to_string(type.dims) + "; it should be " +
              to_string(right));
  }
}

int64_t times(int64_t factor, int64_t dim) { return dim == Dims::kUnknown ? dim : factor * dim; }

bool first_or(const OpCall& call) { return call.attributes.int_or("layout", 0) != 0; }

std::string sequence_text(const Geometry& geometry) { return geometry.batch_first ? "b.." : ".b."; }

// The texts of the operands, in their order.
std::vector<std::string> operand_texts(const OpCall& call, const Kind& kind, const Geometry& geometry) {
  const std::string sequence = sequence_text(geometry);
  std::vector<std::string> texts{sequence, "...", "...", "..", "b", sequence, sequence, ".."};
  texts.resize(kind.operands());
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!call.has(i)) texts[i].clear();
  }
  return texts;
}

std::vector<std::string> output_texts(const Kind& kind, const Geometry& geometry) {
  std::vector<std::string> texts{geometry.batch_first ? "b..." : "..b."};
  texts.resize(kind.outputs(), sequence_text(geometry));
  return texts;
}

std::string_view direction_of(const OpCall& call, const std::string& text) {
  for (const std::string_view known : {"forward", "reverse", "bidirectional"}) {
    if (text == known) return known;
  }
  call.fail("direction is \"" + text + "\"; forward, reverse or bidirectional would be right");
}

}  // namespace

Dims Geometry::sequence(int64_t width) const {
  return batch_first ? Dims{batch, steps, width} : Dims{steps, batch, width};
}
Dims Geometry::y() const {
  return batch_first ? Dims{batch, steps, directions, hidden} : Dims{steps, directions, batch, hidden};
}
Dims Geometry::state() const { return batch_first ? Dims{batch, directions, hidden} : Dims{directions, batch, hidden}; }

bool runs_backwards(const OpCall& call, int64_t d) {
  return d == 1 || call.attributes.string_or("direction", "forward") == "reverse";
}

Geometry geometry_of(const OpCall& call, const Kind& kind) {
  const Type x = operand_of_rank(call, kX, 3, "(steps, batch, inputs)");
  const Type w = operand_of_rank(call, kW, 3, "(directions, gates * hidden, inputs)");
  const Type r = operand_of_rank(call, kR, 3, "(directions, gates * hidden, hidden)");
  Geometry geometry;
  const auto direction = direction_of(call, call.attributes.string_or("direction", "forward"));
  geometry.directions  = direction == "bidirectional" ? 2 : 1;
  geometry.batch_first = first_or(call);
  geometry.steps       = dim(x, geometry.batch_first ? 1 : 0);
  geometry.batch       = dim(x, geometry.batch_first ? 0 : 1);
  geometry.inputs      = dim(x, 2);
  geometry.hidden      = call.attributes.int_or("hidden_size", dim(r, 2));
  const int64_t rows   = times(kind.gates, geometry.hidden);
  check_dims(call, kW, {geometry.directions, rows, geometry.inputs});
  check_dims(call, kR, {geometry.directions, rows, geometry.hidden});
  check_dims(call, kBias, {geometry.directions, times(2, rows)});
  check_dims(call, kLengths, {geometry.batch});
  check_dims(call, kState, geometry.state());
  if (kind.has_cell) {
    check_dims(call, kCell, geometry.state());
    check_dims(call, kPeepholes, {geometry.directions, times(3, geometry.hidden)});
  }
  return geometry;
}

std::vector<Type> infer(const OpCall& call, const Kind& kind) {
  const Type x            = tensor_operand(call, kX);
  const Geometry geometry = geometry_of(call, kind);
  if (call.outputs > kind.outputs()) {
    call.fail("has " + std::to_string(kind.outputs()) + " results, not " + std::to_string(call.outputs));
  }
  std::vector<Type> types{with_dims(x, geometry.y())};
  types.resize(call.outputs, with_dims(x, geometry.state()));
  return types;
}

Factors factors(const OpCall& call, const Kind& kind) {
  if (!splittable(call)) return {};
  const Geometry geometry = geometry_of(call, kind);
  auto inputs = operand_texts(call, kind, geometry), outputs = output_texts(kind, geometry);
  inputs.resize(std::min(inputs.size(), call.arity()));
  outputs.resize(call.outputs);
  return {.text = factor_text(call, inputs, outputs)};
}

Work work(const OpCall& call, std::span<const Type> outputs, const Kind& kind) {
  const Geometry geometry = geometry_of(call, kind);
  const bool known        = geometry.steps >= 0 && geometry.batch >= 0 && geometry.inputs >= 0 && geometry.hidden >= 0;
  if (!known) return computes(call, outputs, 0);
  const double rows  = static_cast<double>(geometry.directions * geometry.steps * geometry.batch);
  const double gates = static_cast<double>(kind.gates * geometry.hidden);
  // A product and a sum a weight; an activation and about three operations a gate.
  const double flops =
      rows * gates * (2 * static_cast<double>(geometry.inputs + geometry.hidden) + kTranscendental + 3);
  return computes(call, outputs, flops, static_cast<int>(geometry.directions * (1 + geometry.steps)));
}

std::vector<size_t> differentiable(const Kind& kind) {
  std::vector<size_t> operands{kX, kW, kR, kBias, kState, kCell, kPeepholes};
  operands.resize(kind.has_cell ? 7 : 5);
  return operands;
}

std::vector<Type> infer_gradient(const OpCall& call, const Kind& kind) {
  const Geometry geometry = geometry_of(call, kind);
  for (size_t i = 0; i < kind.outputs(); ++i) {
    check_dims(call, kind.operands() + i, i == 0 ? geometry.y() : geometry.state());
  }
  std::vector<Type> types;
  for (const size_t operand : differentiable(kind)) {
    // A gradient that no program can use is an empty tensor.
    types.push_back(call.has(operand) ? tensor_operand(call, operand) : with_dims(tensor_operand(call, kX), {0}));
  }
  return types;
}

Factors gradient_factors(const OpCall& call, const Kind& kind) {
  if (!splittable(call)) return {};
  const Geometry geometry = geometry_of(call, kind);
  auto texts = operand_texts(call, kind, geometry), slopes = output_texts(kind, geometry);
  std::vector<std::string> outputs;
  for (const size_t operand : differentiable(kind)) outputs.push_back(call.has(operand) ? texts[operand] : ".");
  for (size_t i = 0; i < slopes.size(); ++i) texts.push_back(call.has(kind.operands() + i) ? slopes[i] : "");
  return {.text = factor_text(call, texts, outputs)};
}

void grad(GradBuilder& builder, const Kind& kind, std::string_view name) {
  const OpCall& call = builder.call();
  std::vector<int> operands;
  for (size_t i = 0; i < kind.operands(); ++i) operands.push_back(call.has(i) ? builder.input(i) : -1);
  for (size_t i = 0; i < kind.outputs(); ++i) operands.push_back(i < call.outputs ? builder.output_gradient(i) : -1);
  const std::vector<size_t> wanted = differentiable(kind);
  const std::vector<int> gradients = builder.emit(name, call.attributes, operands, wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (call.has(wanted[i]) && builder.wanted(wanted[i])) builder.set_input_gradient(wanted[i], gradients[i]);
  }
}

std::vector<Sample> samples(const Kind& kind) {
  constexpr int64_t kSteps = 3, kBatch = 2, kInputs = 3, kHidden = 2;
  const int64_t rows = kind.gates * kHidden;
  const std::vector<Type> least{f32({kSteps, kBatch, kInputs}), f32({1, rows, kInputs}), f32({1, rows, kHidden})};
  std::vector<Type> most{f32({kBatch, kSteps, kInputs}),
                         f32({2, rows, kInputs}),
                         f32({2, rows, kHidden}),
                         f32({2, 2 * rows}),
                         i64({kBatch}),
                         f32({kBatch, 2, kHidden}),
                         f32({kBatch, 2, kHidden}),
                         f32({2, 3 * kHidden})};
  most.resize(kind.operands());
  const std::pair<size_t, Array> lengths{kLengths, Array::of_ints({kBatch}, {2, 3})};
  std::vector<Type> biased = least;
  biased.push_back(f32({1, 2 * rows}));
  return {{.attributes = {{"hidden_size", kHidden}}, .inputs = least, .outputs = 1},
          {.attributes = {{"direction", "reverse"}, {"clip", 0.7}, {"linear_before_reset", 1}, {"input_forget", 1}},
           .inputs     = biased,
           .outputs    = kind.outputs()},
          {.attributes = {{"direction", "bidirectional"}, {"layout", 1}},
           .inputs     = most,
           .values     = {lengths},
           .outputs    = kind.outputs()}};
}

std::vector<Sample> gradient_samples(const Kind& kind) {
  std::vector<Sample> gradients;
  for (Sample sample : samples(kind)) {
    const bool batch_first = sample.attributes.int_or("layout", 0) != 0;
    const Dims x = sample.inputs[kX].dims, r = sample.inputs[kR].dims;
    const int64_t steps = x[batch_first ? 1 : 0], batch = x[batch_first ? 0 : 1];
    const Geometry geometry{r[0], steps, batch, x[2], r[2], batch_first};
    sample.inputs.resize(kind.operands());
    sample.inputs.push_back(f32(geometry.y()));
    for (size_t i = 1; i < kind.outputs(); ++i) {
      sample.inputs.push_back(i < sample.outputs ? f32(geometry.state()) : Type{});
    }
    sample.outputs = differentiable(kind).size();
    gradients.push_back(std::move(sample));
  }
  return gradients;
}

}  // namespace foreflow::ops::recurrent
