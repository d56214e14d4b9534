#include <array>

#include "ops/common/axes.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/views.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::compress {

namespace {

std::optional<size_t> axis_of(const OpCall& call, size_t rank) {
  if (call.attributes.find("axis") == nullptr) return std::nullopt;
  return axis_attribute(call, rank, 0);
}

// The positions that the condition keeps; those beyond its end are left out.
std::vector<int64_t> kept(const OpCall& call, const Array& condition, int64_t dim) {
  if (condition.size() > dim) {
    call.fail("the condition has " + std::to_string(condition.size()) + " elements for a dimension of " +
              std::to_string(dim));
  }
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < condition.size(); ++i) {
    if (condition.at(i) != 0) positions.push_back(i);
  }
  return positions;
}

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0), condition = tensor_operand(call, 1);
  if (condition.is_tensor() && condition.dtype != DType::boolean) call.fail("the condition is not Bool; cast it");
  const bool flat = call.attributes.find("axis") == nullptr;
  if (!has_rank(x)) return {flat && x.is_tensor() ? with_dims(x, {Dims::kUnknown}) : x};
  const std::optional<size_t> axis = axis_of(call, x.dims.size());
  Dims dims                        = axis ? x.dims : Dims{element_count(x.dims)};
  int64_t& dim                     = dims[axis.value_or(0)];
  const Array* known               = call.known[1];
  dim = dim >= 0 && known != nullptr ? static_cast<int64_t>(kept(call, *known, dim).size()) : Dims::kUnknown;
  return {with_dims(x, dims)};
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  std::string text                 = letters(tensor_operand(call, 0).dims.size());
  const std::optional<size_t> axis = axis_of(call, text.size());
  if (!axis) return {.text = factor_text(call, {dots(text.size())}, {"."})};
  text[*axis] = '.';
  return {.text = factor_text(call, {text, "."}, {text})};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& given               = value_of(call, 0);
  const std::optional<size_t> axis = axis_of(call, given.dims().size());
  const Array x                    = axis ? given : given.reshaped({given.size()});
  const size_t along               = axis.value_or(0);
  const auto positions             = kept(call, value_of(call, 1), x.dims()[along]);
  const Offsets strides            = strides_of(x.dims());
  const Dims before(std::span(x.dims().begin(), along)), after(std::span(x.dims().begin() + along + 1, x.dims().end()));
  const Offsets inner = offsets_of(after, std::span(strides).subspan(along + 1));
  Offsets offsets;
  for (const int64_t start : offsets_of(before, std::span(strides).first(along))) {
    for (const int64_t position : positions) {
      for (const int64_t element : inner) offsets.push_back(start + position * strides[along] + element);
    }
  }
  Dims dims   = x.dims();
  dims[along] = static_cast<int64_t>(positions.size());
  return {take(x, dims, offsets)};
}

// Gradients of elements that were kept go back to their places, as for a Gather of the places where the condition
// holds.
void grad(GradBuilder& builder) {
  const Type x = tensor_operand(builder.call(), 0);
  if (!has_dims(x)) builder.call().fail("the shape of the operand must be known to differentiate");
  const std::optional<size_t> axis = axis_of(builder.call(), x.dims.size());
  const int64_t dim                = axis ? x.dims[*axis] : element_count(x.dims);
  const int places                 = builder.emit("NonZero", {}, {builder.input(1)})[0];
  const int indices                = builder.emit("Squeeze", {{"axes", std::vector<int64_t>{0}}}, {places})[0];
  const Attributes attributes{{"axis", static_cast<int64_t>(axis.value_or(0))}, {"dim", dim}};
  int dx = builder.emit("GatherGrad", attributes, {indices, builder.output_gradient(0)})[0];
  if (!axis) dx = builder.emit("Reshape", {{"shape", std::vector<int64_t>(x.dims.begin(), x.dims.end())}}, {dx})[0];
  builder.set_input_gradient(0, dx);
}

}  // namespace

OpDef row() {
  return {
      .name = "Compress",
      .doc  = "x[a,n,b], condition[n] -> the slices along `axis` where it holds; without `axis`, of x as one row",
      .whole_because = "how many elements it keeps depends on all of them",
      .infer         = infer,
      .factors       = factors,
      .work          = [](const OpCall& call, std::span<const Type> outputs) { return moves(call, outputs); },
      .eval          = eval,
      .grad          = grad,
      .samples =
          [] {
            const Array condition = Array::of<bool>(DType::boolean, {3}, std::array{true, false, true});
            return std::vector<Sample>{{{{"axis", int64_t{1}}}, {f32({2, 3, 2}), boolean({3})}, {{1, condition}}},
                                       {{}, {f32({2, 2}), boolean({3})}, {{1, condition}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::compress
