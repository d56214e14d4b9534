#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::non_zero {

namespace {

// Row-major positions of the elements that are not zero.
std::vector<int64_t> places(const Array& x) {
  std::vector<int64_t> result;
  for (int64_t i = 0; i < x.size(); ++i) {
    if (x.at(i) != 0) result.push_back(i);
  }
  return result;
}

std::vector<Type> infer(const OpCall& call) {
  const Type x        = tensor_operand(call, 0);
  const int64_t count = call.known[0] != nullptr ? static_cast<int64_t>(places(*call.known[0]).size()) : Dims::kUnknown;
  return {i64({has_rank(x) ? static_cast<int64_t>(x.dims.size()) : Dims::kUnknown, count})};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x                   = value_of(call, 0);
  const std::vector<int64_t> found = places(x);
  std::vector<int64_t> coordinates(x.dims().size() * found.size());
  for (size_t i = 0; i < found.size(); ++i) {
    int64_t rest = found[i];
    for (size_t axis = x.dims().size(); axis-- > 0; rest /= x.dims()[axis]) {
      coordinates[axis * found.size() + i] = rest % x.dims()[axis];
    }
  }
  return {Array::of_ints({static_cast<int64_t>(x.dims().size()), static_cast<int64_t>(found.size())}, coordinates)};
}

}  // namespace

OpDef row() {
  return {
      .name          = "NonZero",
      .doc           = "x of rank r -> [r, n]: the coordinates of its n elements that are not 0, row-major",
      .whole_because = "how many elements it keeps depends on all of them",
      .infer         = infer,
      .factors       = [](const OpCall& call) -> Factors {
        return splittable(call) ? Factors{.text = factor_text(call, {}, {".."})} : Factors{};
      },
      .work = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, count_of(call.inputs[0])); },
      .eval = eval,
      .samples =
          [] {
            return std::vector<Sample>{{{}, {boolean({4, 2})}},
                                       {{}, {f32({3})}, {{0, Array::of_floats({3}, {0, -1, 2})}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::non_zero
