#include "ops/letters.h"
#include "ops/product.h"

namespace foreflow::ops::definitions {

namespace {

ProductForm form_of(const OpCall& call) {
  if (call.attributes.int_or("transBatchA", 0) != 0 || call.attributes.int_or("transBatchB", 0) != 0) {
    call.fail("transposes batch dimensions; put a Transpose before it");
  }
  return {call.attributes.int_or("transA", 0) != 0, call.attributes.int_or("transB", 0) != 0};
}

}  // namespace

OpDef fused_matmul() {
  return {
      .name    = "FusedMatMul",
      .doc     = "alpha * x[..,i,k] * w[..,k,j] -> y[..,i,j]; transA, transB: x[..,k,i], w[..,j,k]",
      .domain  = "com.microsoft",
      .infer   = [](const OpCall& call) { return infer_product(call, form_of(call)); },
      .factors = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        const ProductLetters text = letters_of(*product_of(call, form_of(call)), form_of(call));
        return {.text = text.left + "," + text.right + "->" + text.result};
      },
      .work = [](const OpCall& call,
                 std::span<const Type> outputs) { return work_product(call, outputs, form_of(call)); },
      .eval = [](const OpCall& call) -> std::vector<Array> {
        return {eval_product(call, form_of(call), call.attributes.float_or("alpha", 1))};
      },
      .samples =
          [] {
            return std::vector<Sample>{{{{"transB", 1}, {"alpha", 0.125}}, {f32({2, 4, 6}), f32({2, 2, 6})}},
                                       {{{"transA", 1}}, {f32({2, 6, 4}), f32({6, 2})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions
