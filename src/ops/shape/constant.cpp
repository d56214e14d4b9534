#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::constant {

namespace {

// An integer is Int64, a number Float32; lists are vectors of them.
Array number_array(const OpCall& call) {
  const ir::Attribute* value = call.attributes.find("value");
  if (value == nullptr) call.fail("has no attribute `value`");
  if (const auto* array = std::get_if<Array>(value)) return *array;
  if (const auto* integer = std::get_if<int64_t>(value)) return Array::scalar(*integer);
  if (const auto* number = std::get_if<double>(value)) return Array::scalar(static_cast<float>(*number));
  if (const auto* list = std::get_if<std::vector<int64_t>>(value)) {
    return Array::of_ints({static_cast<int64_t>(list->size())}, *list);
  }
  if (const auto* list = std::get_if<std::vector<double>>(value)) {
    return array_of(DType::f32, {static_cast<int64_t>(list->size())}, *list);
  }
  call.fail("`value` is not a number, a list of numbers or a tensor");
}

}  // namespace

OpDef row() {
  return {
      .name    = "Constant",
      .doc     = "() -> the tensor `value`",
      .role    = Role::constant,
      .infer   = [](const OpCall& call) -> std::vector<Type> { return {number_array(call).type()}; },
      .factors = [](const OpCall& call) -> Factors { return {.text = "->" + dots(number_array(call).dims().size())}; },
      .work    = nothing,
      .eval    = [](const OpCall& call) -> std::vector<Array> { return {number_array(call)}; },
      .samples =
          [] {
            return std::vector<Sample>{{{{"value", int64_t{3}}}, {}},
                                       {{{"value", 0.5}}, {}},
                                       {{{"value", std::vector<int64_t>{1, 2}}}, {}},
                                       {{{"value", Array::of_floats({2, 1}, {1, 2})}}, {}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::constant
