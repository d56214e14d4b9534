#include "ops/convolution/blocks.h"

#include "foreflow/base/nth.h"
#include "ops/common/letters.h"
#include "ops/common/views.h"

namespace foreflow::ops {

namespace {

int64_t block_size(const OpCall& call) {
  const int64_t size = call.attributes.get_int("blocksize");
  if (size < 1) call.fail("blocksize is " + std::to_string(size) + "; at least 1 would be right");
  return size;
}

// dim / by; unknown stays unknown.
int64_t divided(const OpCall& call, int64_t dim, int64_t by) {
  if (dim == Dims::kUnknown) return dim;
  if (dim % by != 0)
    call.fail("a dimension of " + std::to_string(dim) + " should be a multiple of " + std::to_string(by));
  return dim / by;
}

int64_t multiplied(int64_t dim, int64_t by) { return dim == Dims::kUnknown ? dim : dim * by; }

std::vector<int64_t> list(const Dims& dims) { return {dims.begin(), dims.end()}; }

}  // namespace

Blocks depth_to_space_of(const OpCall& call, const Dims& x) {
  const int64_t b = block_size(call), n = x[0], h = x[2], w = x[3], c = divided(call, x[1], b * b);
  const Dims result{n, c, multiplied(h, b), multiplied(w, b)};
  const std::string mode = call.attributes.string_or("mode", "DCR");
  if (mode == "DCR") return {.split = {n, b, b, c, h, w}, .order = {0, 3, 4, 1, 5, 2}, .result = result};
  if (mode == "CRD") return {.split = {n, c, b, b, h, w}, .order = {0, 1, 4, 2, 5, 3}, .result = result};
  call.fail("mode \"" + mode + "\"; DCR or CRD would be right");
}

Blocks space_to_depth_of(const OpCall& call, const Dims& x) {
  const int64_t b = block_size(call), n = x[0], c = x[1], h = divided(call, x[2], b), w = divided(call, x[3], b);
  const Dims result{n, multiplied(c, b * b), h, w};
  const std::string mode = call.attributes.string_or("mode", "DCR");
  if (mode == "DCR") return {.split = {n, c, h, b, w, b}, .order = {0, 3, 5, 1, 2, 4}, .result = result};
  if (mode == "CRD") return {.split = {n, c, h, b, w, b}, .order = {0, 1, 3, 5, 2, 4}, .result = result};
  call.fail("mode \"" + mode + "\"; DCR or CRD would be right");
}

std::vector<Type> infer_blocks(const OpCall& call, Steps steps) {
  const Type x = tensor_operand(call, 0);
  if (!has_rank(x)) return {x};
  if (x.dims.size() != 4) call.fail("the operand is " + to_string(x.dims) + "; [n, c, h, w] would be right");
  return {with_dims(x, steps(call, x.dims).result)};
}

std::vector<Array> eval_blocks(const OpCall& call, Steps steps) {
  const Array& x        = value_of(call, 0);
  const Blocks blocks   = steps(call, x.dims());
  const Offsets strides = strides_of(blocks.split);
  Offsets dims, turned;
  for (const int64_t axis : blocks.order) {
    dims.push_back(nth(blocks.split, axis));
    turned.push_back(nth(strides, axis));
  }
  return {take(x, blocks.result, offsets_of(dims, turned))};
}

void grad_blocks(GradBuilder& builder, Steps steps) {
  const Type x = tensor_operand(builder.call(), 0);
  if (!has_dims(x)) builder.call().fail("the shape of the operand must be known to differentiate");
  const Blocks blocks = steps(builder.call(), x.dims);
  std::vector<int64_t> turned, back(blocks.order.size());
  for (size_t i = 0; i < blocks.order.size(); ++i) {
    turned.push_back(nth(blocks.split, blocks.order[i]));
    nth(back, blocks.order[i]) = static_cast<int64_t>(i);
  }
  const int split = builder.emit("Reshape", {{"shape", turned}}, {builder.output_gradient(0)})[0];
  const int own   = builder.emit("Transpose", {{"perm", back}}, {split})[0];
  builder.set_input_gradient(0, builder.emit("Reshape", {{"shape", list(x.dims)}}, {own})[0]);
}

Factors block_factors(const OpCall& call) {
  return splittable(call) ? Factors{.text = factor_text(call, {"a..."}, {"a..."})} : Factors{};
}

}  // namespace foreflow::ops
