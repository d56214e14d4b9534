#include <algorithm>

#include "ops/common/axes.h"
#include "ops/common/expected.h"
#include "ops/common/kernel.h"
#include "ops/common/lanes.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::tensor_scatter {

namespace {

// Operands: the cache, what is written into it, and at which place of `axis` for each sample (at 0 when left out).
constexpr size_t kUpdate = 1, kPlaces = 2;

bool is_circular(const OpCall& call) { return call.attributes.string_or("mode", "linear") == "circular"; }

std::vector<Type> infer(const OpCall& call) {
  const Type cache = tensor_operand(call, 0), update = tensor_operand(call, kUpdate);
  // Floats are converted where they are written.
  if (!ir::is_float(cache.dtype) || !ir::is_float(update.dtype)) common_dtype(call, std::vector{cache, update});
  if (!has_rank(cache)) return {cache};
  const size_t axis = axis_attribute(call, cache.dims.size(), -2);
  if (axis == 0) call.fail("axis is 0, that of the samples; a later one would be right");
  check_dims(call, kPlaces, {cache.dims[0]}, "the places");
  if (has_dims(cache) && has_dims(update)) {
    Dims wanted  = cache.dims;
    wanted[axis] = update.dims.size() == wanted.size() ? std::min(update.dims[axis], wanted[axis]) : 0;
    if (update.dims != wanted)
      call.fail("the update is " + to_string(update.dims) + "; it should fit the cache, " + to_string(cache.dims));
  }
  return {cache};
}

// Returns the row of the cache at which the rows of a sample begin.
int64_t place_of(const OpCall& call, int64_t sample, int64_t rows, int64_t room) {
  if (!call.has(kPlaces)) return 0;
  const int64_t place = value_of(call, kPlaces).to_ints().at(static_cast<size_t>(sample));
  if (place < 0 || (!is_circular(call) && place + rows > room)) {
    call.fail("writes " + std::to_string(rows) + " rows at place " + std::to_string(place) + " of " +
              std::to_string(room) + "; places inside the cache would be right");
  }
  return place;
}

std::vector<Array> eval(const OpCall& call) {
  const Array &cache = value_of(call, 0), &update = value_of(call, kUpdate);
  const size_t axis  = axis_attribute(call, cache.dims().size(), -2);
  const int64_t room = cache.dims()[axis], rows = update.dims()[axis];
  auto values      = values_of<double>(cache);
  const auto fresh = values_of<double>(update);
  int64_t outer = 1, inner = 1;
  for (size_t d = 0; d < axis; ++d) outer *= cache.dims()[d];
  for (size_t d = axis + 1; d < cache.dims().size(); ++d) inner *= cache.dims()[d];
  for (int64_t o = 0; o < outer; ++o) {
    const int64_t place = place_of(call, o / (outer / cache.dims()[0]), rows, room);
    for (int64_t row = 0; row < rows; ++row) {
      std::copy_n(fresh.begin() + (o * rows + row) * inner, inner,
                  values.begin() + (o * room + (place + row) % room) * inner);
    }
  }
  return {array_of(cache.dtype(), cache.dims(), values)};
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  std::string text                            = letters(tensor_operand(call, 0).dims.size());
  text[axis_attribute(call, text.size(), -2)] = '.';
  std::vector<std::string> inputs{text, text};
  if (call.arity() > kPlaces) inputs.push_back(call.has(kPlaces) ? text.substr(0, 1) : "");
  return {.text = factor_text(call, inputs, {text})};
}

// The cache is not copied: its memory becomes that of the result, and only the new rows move.
Work work(const OpCall& call, std::span<const Type> outputs) {
  Work work          = moves(call, outputs);
  const Type& update = call.inputs[kUpdate];
  work.read          = ir::bytes_of(update) + (call.has(kPlaces) ? ir::bytes_of(call.inputs[kPlaces]) : Bytes(0));
  work.written       = ir::bytes_of(update) * ir::bits_of(call.inputs[0].dtype) / ir::bits_of(update.dtype);
  return work;
}

std::vector<Sample> samples() {
  const Array places = Array::of_ints({2}, {1, 3});
  return {{{}, {f32({2, 2, 4, 3}), f32({2, 2, 1, 3}), i64({2})}, {{kPlaces, places}}},
          {{{"axis", 1}}, {f32({2, 4, 3}), f32({2, 2, 3})}},
          {{{"axis", 1}, {"mode", std::string("circular")}},
           {f32({2, 4, 3}), f32({2, 2, 3}), i64({2})},
           {{kPlaces, places}}}};
}

}  // namespace

OpDef row() {
  return {
      .name = "TensorScatter",
      .doc =
          "cache[n,..,t,..], update[n,..,s,..], places[n] -> the cache, in place, with s rows of `axis` written from "
          "each sample's place on; floats may be of two types",
      .in_place      = InPlace::rows,
      .whole_because = "it writes rows anywhere along that dimension",
      .infer         = infer,
      .factors       = factors,
      .work          = work,
      .eval          = eval,
      .samples       = samples,
  };
}

}  // namespace foreflow::ops::definitions::tensor_scatter
