#include "ops/random/random.h"

#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops {

namespace {

std::vector<double> normals(const OpCall& call, const Dims& dims) {
  Generator generator = generator_of(call);
  const double mean = call.attributes.float_or("mean", 0), scale = call.attributes.float_or("scale", 1);
  return draws(dims, [&] { return mean + scale * generator.normal(); });
}

std::vector<double> uniforms(const OpCall& call, const Dims& dims) {
  Generator generator = generator_of(call);
  const double low = call.attributes.float_or("low", 0), high = call.attributes.float_or("high", 1);
  return draws(dims, [&] { return low + (high - low) * generator.uniform(); });
}

Dims shape_of(const OpCall& call) {
  const auto shape = call.attributes.get_ints("shape");
  for (const int64_t dim : shape) {
    if (dim < 0) call.fail("shape has the dimension " + std::to_string(dim) + "; none may be negative");
  }
  return Dims(shape);
}

// The numbers of a part would not be those of the whole.
Factors whole(const OpCall& call, const Type& result) {
  if (!has_dims(result)) return {};
  return {.text = factor_text(call, {}, {dots(result.dims.size())})};
}

Type infer_like(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  if (x.kind == Type::Kind::unknown) return x;
  const DType dtype = dtype_attribute(call, x.dtype);
  return has_rank(x) ? Type::tensor(dtype, x.dims) : Type::unranked(dtype);
}

template <auto kDraw>
std::vector<Array> eval_shape(const OpCall& call) {
  const Dims dims = shape_of(call);
  return {array_of(dtype_attribute(call, DType::f32), dims, kDraw(call, dims))};
}

template <auto kDraw>
std::vector<Array> eval_like(const OpCall& call) {
  const Array& x = value_of(call, 0);
  return {array_of(dtype_attribute(call, x.dtype()), x.dims(), kDraw(call, x.dims()))};
}

}  // namespace

DType dtype_attribute(const OpCall& call, DType fallback) {
  const std::string text = call.attributes.string_or("dtype", "");
  if (text.empty()) return fallback;
  const auto dtype = ir::find_dtype(text);
  if (!dtype) call.fail("dtype is \"" + text + "\"; a data type like Float32 would be right");
  return *dtype;
}

OpDef random_row(std::string_view name, std::string_view doc, Distribution distribution) {
  return {
      .name          = name,
      .doc           = doc,
      .role          = Role::constant,
      .foldable      = false,
      .whole_because = "the random numbers of a part are not those of the whole",
      .infer         = [](const OpCall& call) -> std::vector<Type> {
        return {Type::tensor(dtype_attribute(call, DType::f32), shape_of(call))};
      },
      .factors = [](const OpCall& call) { return whole(call, f32(shape_of(call))); },
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, kTranscendental * count_of(outputs[0]));
          },
      .eval = distribution == Distribution::normal ? eval_shape<normals> : eval_shape<uniforms>,
      .samples =
          [] {
            return std::vector<Sample>{{{{"shape", std::vector<int64_t>{2, 3}}, {"seed", 7.0}}, {}},
                                       {{{"shape", std::vector<int64_t>{4}}, {"dtype", "Float64"}, {"seed", 0.5}}, {}}};
          },
  };
}

OpDef random_like_row(std::string_view name, std::string_view doc, Distribution distribution) {
  return {
      .name          = name,
      .doc           = doc,
      .foldable      = false,
      .whole_because = "the random numbers of a part are not those of the whole",
      .infer         = [](const OpCall& call) -> std::vector<Type> { return {infer_like(call)}; },
      .factors       = [](const OpCall& call) { return splittable(call) ? whole(call, infer_like(call)) : Factors{}; },
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, kTranscendental * count_of(outputs[0]));
          },
      .eval = distribution == Distribution::normal ? eval_like<normals> : eval_like<uniforms>,
      .samples =
          [] {
            return std::vector<Sample>{{{{"seed", 3}}, {f32({2, 3})}},
                                       {{{"dtype", "Float16"}, {"seed", 1.0}}, {i64({4})}}};
          },
  };
}

}  // namespace foreflow::ops
