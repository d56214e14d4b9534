#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"
#include "ops/random/random.h"

namespace foreflow::ops::definitions::bernoulli {

namespace {

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  if (x.kind == Type::Kind::unknown) return {x};
  const DType dtype = dtype_attribute(call, x.dtype);
  return {has_rank(x) ? Type::tensor(dtype, x.dims) : Type::unranked(dtype)};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x      = value_of(call, 0);
  auto values         = values_of<double>(x);
  Generator generator = generator_of(call);
  for (double& value : values) value = generator.uniform() < value ? 1 : 0;
  return {array_of(dtype_attribute(call, x.dtype()), x.dims(), values)};
}

}  // namespace

OpDef row() {
  return {
      .name          = "Bernoulli",
      .doc           = "x -> 1 with probability x, else 0, the same for the same `seed`",
      .foldable      = false,
      .whole_because = "the random numbers of a part are not those of the whole",
      .infer         = infer,
      // A part would draw the numbers of the beginning.
      .factors = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        return {.text = factor_text(call, {}, {dots(tensor_operand(call, 0).dims.size())})};
      },
      .work =
          [](const OpCall& call, std::span<const Type> outputs) {
            return computes(call, outputs, kTranscendental * count_of(outputs[0]));
          },
      .eval = eval,
      .samples =
          [] {
            return std::vector<Sample>{{{{"seed", 1.0}}, {f32({2, 3})}},
                                       {{{"dtype", std::string(ir::name(DType::boolean))}, {"seed", 2.0}}, {f32({4})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::bernoulli
