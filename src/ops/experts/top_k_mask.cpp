#include <algorithm>
#include <numeric>

#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::top_k_mask {

namespace {

int64_t chosen(const OpCall& call) {
  const int64_t k = call.attributes.get_int("k");
  if (k < 1) call.fail("k is " + std::to_string(k) + "; 1 or more would be right");
  return k;
}

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0);
  if (!has_rank(x)) return {Type::unranked(DType::boolean)};
  if (x.dims.empty()) call.fail("x is a scalar; a tensor with a last dimension to choose from would be right");
  const int64_t choice = x.dims[x.dims.size() - 1];
  if (choice != Dims::kUnknown && chosen(call) > choice) {
    call.fail("k is " + std::to_string(chosen(call)) + "; at most the last dimension, " + std::to_string(choice) +
              ", would be right");
  }
  return {Type::tensor(DType::boolean, x.dims)};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x    = value_of(call, 0);
  const auto values = values_of<double>(x);
  const auto k      = chosen(call);
  const auto n      = static_cast<size_t>(x.dims()[x.dims().size() - 1]);
  std::vector<int64_t> mask(values.size());
  std::vector<size_t> order(n);
  for (size_t row = 0; row < values.size(); row += n) {
    std::iota(order.begin(), order.end(), row);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] > values[b]; });
    std::for_each(order.begin(), order.begin() + k, [&](size_t at) { mask[at] = 1; });
  }
  return {array_of(DType::boolean, x.dims(), mask)};
}

}  // namespace

OpDef row() {
  return {
      .name          = "TopKMask",
      .doc           = "x[..,n] -> true where an element is among the `k` largest of its row; of equals the first",
      .domain        = "foreflow",
      .whole_because = "it ranks all elements along that dimension",
      .infer         = infer,
      .factors       = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        std::string text = letters(tensor_operand(call, 0).dims.size());
        text.back()      = '.';
        return {.text = factor_text(call, {text}, {text})};
      },
      // As for TopK: one comparison an element.
      .work = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, count_of(call.inputs[0])); },
      .eval = eval,
      .samples =
          [] {
            return std::vector<Sample>{{.attributes = {{"k", int64_t{2}}}, .inputs = {f32({2, 4, 5})}},
                                       {.attributes = {{"k", int64_t{1}}}, .inputs = {i64({4, 3})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::top_k_mask
