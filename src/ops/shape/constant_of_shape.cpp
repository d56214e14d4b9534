#include "ops/common/axes.h"
#include "ops/common/letters.h"
#include "ops/common/views.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::constant_of_shape {

namespace {

// One element; Float32 0 when absent. Numbers stand for what Constant takes them for.
Array fill(const OpCall& call) {
  const ir::Attribute* value = call.attributes.find("value");
  if (value == nullptr) return Array::scalar(0.0F);
  if (const auto* integer = std::get_if<int64_t>(value)) return Array::scalar(*integer);
  if (const auto* number = std::get_if<double>(value)) return Array::scalar(static_cast<float>(*number));
  const auto* array = std::get_if<Array>(value);
  if (array == nullptr || array->size() != 1) call.fail("`value` is not one number");
  return *array;
}

std::vector<Type> infer(const OpCall& call) {
  const Integers shape = integers(call, "shape", 0);
  if (!shape.given) call.fail("has neither an operand nor an attribute `shape`");
  const DType dtype = fill(call).dtype();
  if (shape.list) {
    for (const int64_t dim : *shape.list) {
      if (dim < 0) call.fail("shape has the dimension " + std::to_string(dim) + "; 0 or more would be right");
    }
    return {Type::tensor(dtype, Dims(*shape.list))};
  }
  if (has_dims(call.inputs[0]) && call.inputs[0].dims.size() == 1) {
    const int64_t rank = call.inputs[0].dims[0];
    if (rank > static_cast<int64_t>(Dims::kMaxRank))
      call.fail("a shape of " + std::to_string(rank) + " dimensions; 8 at most are supported");
    return {Type::tensor(dtype, Dims(static_cast<size_t>(call.inputs[0].dims[0]), Dims::kUnknown))};
  }
  return {Type::unranked(dtype)};
}

}  // namespace

OpDef row() {
  return {
      .name    = "ConstantOfShape",
      .doc     = "[d0,d1,..] -> y[d0,d1,..], every element `value`",
      .role    = Role::constant,
      .sizes   = ir::Sizes::filled,
      .infer   = infer,
      .factors = [](const OpCall& call) -> Factors {
        const Type result = infer(call)[0];
        return has_rank(result) ? Factors{.text = factor_text(call, {}, {dots(result.dims.size())})} : Factors{};
      },
      .work = [](const OpCall&, std::span<const Type> outputs) -> Work {
        return {.flops = {}, .read = {}, .written = bytes_of(outputs[0])};
      },
      .eval = [](const OpCall& call) -> std::vector<Array> {
        const Dims dims(*integers(call, "shape", 0).list);
        return {take(fill(call), dims, Offsets(static_cast<size_t>(element_count(dims)), 0))};
      },
      .samples =
          [] {
            return std::vector<Sample>{{{}, {i64({2})}, {{0, Array::of_ints({2}, {2, 3})}}},
                                       {{{"shape", std::vector<int64_t>{4}}, {"value", Array::of_ints({1}, {7})}}, {}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::constant_of_shape
