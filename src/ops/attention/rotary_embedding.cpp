#include "ops/attention/rotary.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::rotary_embedding {

namespace {

// Operands: x[b,s,n*h] or [b,n,s,h], position_ids [1] (of the first row), [1,s] or [b,s], cos_cache and sin_cache
// [positions,r/2].
constexpr size_t kPositions = 1, kCosine = 2, kSine = 3;

// The heads of x[b,s,n*h]: as stated or, if no number is, as the tables turn them whole; unknown if neither is known.
int64_t heads_of_rows(const OpCall& call, const Type& x) {
  const int64_t stated = call.attributes.int_or("num_heads", 0);
  if (stated > 0) return stated;
  const Type table = tensor_operand(call, kCosine);
  if (!has_rank(table) || table.dims.size() != 2 || table.dims[1] < 1 || x.dims[2] < 0) return Dims::kUnknown;
  return x.dims[2] / (2 * table.dims[1]);
}

int64_t size_of_head(const OpCall& call, const Type& x) {
  const int64_t width = x.dims.back();
  if (x.dims.size() == 4 || width < 0) return width;
  const int64_t heads = heads_of_rows(call, x);
  if (heads == Dims::kUnknown) return heads;
  if (heads < 1 || width % heads != 0)
    call.fail("x is " + to_string(x.dims) + "; a multiple of its " + std::to_string(heads) + " heads would be right");
  return width / heads;
}

void check_positions(const OpCall& call, int64_t batch, int64_t rows) {
  const Type ids = tensor_operand(call, kPositions);
  if (!has_rank(ids)) return;
  if (ids.dims.size() == 1) return check_dims(call, kPositions, {1}, "position_ids");
  if (ids.dims.size() != 2 || (differ(ids.dims[0], batch) && ids.dims[0] != 1) || differ(ids.dims[1], rows))
    call.fail("position_ids is " + to_string(ids.dims) + "; (1,) or " + to_string(Dims{batch, rows}) +
              " would be right");
}

std::vector<Type> infer(const OpCall& call) {
  if (call.arity() != 4)
    call.fail("has " + std::to_string(call.arity()) +
              " operands; x, position_ids, cos_cache and sin_cache would be right");
  const Type x = tensor_operand(call, 0);
  if (has_rank(x) && x.dims.size() != 3 && x.dims.size() != 4)
    call.fail("x is " + to_string(x.dims) + "; it should be [b,s,n*h] or [b,n,s,h]");
  const int64_t part = call.attributes.int_or("rotary_embedding_dim", 0);
  if (part > 0) check_dims(call, kCosine, {Dims::kUnknown, part / 2}, "cos_cache");
  check_rotation(call, kCosine, kSine, has_rank(x) ? size_of_head(call, x) : Dims::kUnknown);
  if (has_rank(x)) check_positions(call, x.dims[0], x.dims[x.dims.size() - 2]);
  return {x};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x          = value_of(call, 0);
  const Rotation rotation = rotation_of(call, kCosine, kSine, "interleaved");
  const bool by_head      = x.dims().size() == 4;
  const int64_t heads     = by_head ? x.dims()[1] : heads_of_rows(call, x.type());
  const int64_t size      = size_of_head(call, x.type());
  HeadTensor turned =
      by_head ? heads_of(x) : heads_of(values_of<double>(x), x.dims(), {.first = 0, .stride = size}, heads, size);
  const auto ids    = value_of(call, kPositions).to_ints();
  const Dims places = value_of(call, kPositions).dims();
  const bool offset = places.size() == 1, shared = places[0] == 1;
  rotate(call, turned, rotation, [&](int64_t b, int64_t row) {
    return offset ? ids[0] + row : ids.at(static_cast<size_t>(shared ? row : b * turned.rows + row));
  });
  return {array_of(x.dtype(), x.dims(), by_head ? turned.values : merged(turned))};
}

// Positions that are looked up in the tables: each of those stated, or one a row of the sequence from the first on.
double positions(const OpCall& call) {
  const Type ids = tensor_operand(call, kPositions), x = tensor_operand(call, 0);
  if (has_dims(ids) && ids.dims.size() == 2) return count_of(ids);
  return has_dims(x) ? static_cast<double>(x.dims[x.dims.size() - 2]) : 0;
}

// The transpose of a rotation turns back. The tables of angles are constants of a model: they get no gradient.
void grad(GradBuilder& builder) {
  if (!builder.wanted(0)) return;
  const int back = builder.emit("Neg", {}, {builder.input(kSine)})[0];
  builder.set_input_gradient(
      0, builder.emit("RotaryEmbedding", builder.call().attributes,
                      {builder.output_gradient(0), builder.input(kPositions), builder.input(kCosine), back})[0]);
}

}  // namespace

OpDef row() {
  return {
      .name = "RotaryEmbedding",
      .doc =
          "x[b,s,n*h] or [b,n,s,h], position_ids, cos_cache[p,r/2], sin_cache -> x turned by the angles of its "
          "positions",
      .domain        = "com.microsoft",
      .chain         = Chain::rotation,
      .within_heads  = true,
      .whole_because = "it combines the features of a head, at positions that all samples share",
      .infer         = infer,
      .factors       = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const bool by_head    = tensor_operand(call, 0).dims.size() == 4;
        const Dims& places    = tensor_operand(call, kPositions).dims;
        const bool by_row     = places.size() == 2;  // else rows are counted from the first
        const std::string x   = by_head ? (by_row ? "bns." : "bn..") : (by_row ? "bs." : "b..");
        const std::string ids = by_row ? (places[0] == 1 ? ".s" : "bs") : ".";
        return {.text = factor_text(call, {x, ids}, {x})};
      },
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            const Work work = computes(call, outputs, 3 * count_of(outputs[0]));
            return looking_up(work, call, kCosine, kSine, positions(call));
          },
      .eval = eval,
      .grad = grad,
      .samples =
          [] {
            const auto cosines = Array::of_floats({5, 1}, {1, 0.5F, -0.4F, -1, -0.7F});
            const auto sines   = Array::of_floats({5, 1}, {0, 0.8F, 0.9F, 0.1F, -0.8F});
            const auto pairs   = Array::of_floats(
                  {8, 2}, {1, 1, 0.5F, 1, -0.4F, 0.9F, -1, 0.8F, -0.7F, 0.7F, 0.3F, 0.6F, 0.9F, 0.4F, 0.8F, 0.3F});
            return std::vector<Sample>{
                {{},
                 {f32({2, 3, 4}), i64({2, 3}), f32({5, 1}), f32({5, 1})},
                 {{1, Array::of_ints({2, 3}, {0, 1, 2, 2, 3, 4})}, {kCosine, cosines}, {kSine, sines}}},
                {{},
                 {f32({2, 2, 4, 2}), i64({1, 4}), f32({5, 1}), f32({5, 1})},
                 {{1, Array::of_ints({1, 4}, {0, 1, 2, 4})}, {kCosine, cosines}, {kSine, sines}}},
                {{{"interleaved", 1}},
                 {f32({2, 2, 3, 6}), i64({1}), f32({8, 2}), f32({8, 2})},
                 {{1, Array::of_ints({1}, {4})}, {kCosine, pairs}, {kSine, pairs}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::rotary_embedding
