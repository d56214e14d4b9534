#include <algorithm>
#include <cmath>

#include "ops/common/kernel.h"
#include "ops/common/operands.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::fp8_maxima {

namespace {

int64_t count_of_maxima(const OpCall& call) {
  constexpr int64_t kMost = 1 << 20;
  const int64_t count     = call.attributes.get_int("count");
  if (count < 1 || count > kMost) call.fail("has count = " + std::to_string(count) + "; 1 to 2^20 would be right");
  return count;
}

std::vector<Array> eval(const OpCall& call) {
  double largest = 0;
  for (const double x : values_of<double>(value_of(call, 0))) largest = std::max(largest, std::abs(x));
  const int64_t count = count_of_maxima(call);
  return {array_of<double>(DType::f32, {count}, std::vector<double>(static_cast<size_t>(count), largest))};
}

}  // namespace

OpDef row() {
  return {
      .name = "Fp8Maxima",
      .doc =
          "x -> a vector of `count` numbers, each the largest magnitude in x: it stands for those of all operands that "
          "a pass converts to fp8, which the kernels that convert them note. No kernel of its own",
      .domain   = "foreflow",
      .foldable = false,
      .infer    = [](const OpCall& call) -> std::vector<Type> {
        const Type x = tensor_operand(call, 0);
        if (x.kind != Type::Kind::unknown && !ir::is_float(x.dtype))
          call.fail("the operand is " + to_string(x) + "; floating-point numbers would be right");
        return {Type::tensor(DType::f32, {count_of_maxima(call)})};
      },
      .factors = [](const OpCall&) -> Factors { return {}; },
      .work    = nothing,
      .eval    = eval,
      .samples =
          [] {
            return std::vector<Sample>{{{{"count", 3}}, {f32({4, 2})}}, {{{"count", 1}}, {f32({6})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::fp8_maxima
