#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::eye_like {

namespace {

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  if (has_rank(x) && x.dims.size() != 2) call.fail("the operand is " + to_string(x.dims) + "; a matrix would be right");
  const std::string name = call.attributes.string_or("dtype", x.is_tensor() ? std::string(ir::name(x.dtype)) : "");
  if (name.empty()) return {Type{}};
  const std::optional<DType> dtype = ir::find_dtype(name);
  if (!dtype) call.fail("unknown data type dtype = \"" + name + "\"; \"Float32\" would be right");
  return {has_rank(x) ? Type::tensor(*dtype, x.dims) : Type::unranked(*dtype)};
}

std::vector<Array> eval(const OpCall& call) {
  const Type type        = infer(call)[0];
  const int64_t diagonal = call.attributes.int_or("k", 0), columns = type.dims[1];
  std::vector<int64_t> values(static_cast<size_t>(element_count(type.dims)));
  for (size_t i = 0; i < values.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    values[i]     = at % columns - at / columns == diagonal ? 1 : 0;
  }
  return {array_of(type.dtype, type.dims, values)};
}

}  // namespace

OpDef row() {
  return {
      .name          = "EyeLike",
      .doc           = "x[i,j] -> 1 on diagonal `k`, 0 elsewhere, in the shape of x and data type `dtype` (that of x)",
      .whole_because = "its result depends on where an element stands in the whole matrix",
      .infer         = infer,
      .factors       = [](const OpCall& call) -> Factors {
        return splittable(call) ? Factors{.text = factor_text(call, {}, {".."})} : Factors{};
      },
      .work = [](const OpCall&, std::span<const Type> outputs) -> Work {
        return {.flops = {}, .read = {}, .written = bytes_of(outputs[0])};
      },
      .eval = eval,
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({3, 3})}}, {{{"k", int64_t{1}}, {"dtype", "Int32"}}, {f32({2, 4})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::eye_like
