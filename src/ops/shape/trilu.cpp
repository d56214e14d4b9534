#include "ops/common/elementwise.h"
#include "ops/common/letters.h"
#include "ops/common/operands.h"

namespace foreflow::ops::definitions::trilu {

namespace {

// The diagonal that borders the kept part: attribute or operand 1.
int64_t diagonal(const OpCall& call) {
  if (const auto k = call.attributes.find_ints("k")) return first_of(call, *k);
  return call.arity() > 1 && call.known[1] != nullptr ? first_of(call, call.known[1]->to_ints()) : 0;
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const std::string batch = letters(tensor_operand(call, 0).dims.size() - 2);
  return {.text = factor_text(call, {batch + ".."}, {batch + ".."})};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x     = value_of(call, 0);
  const bool upper   = call.attributes.int_or("upper", 1) != 0;
  const size_t rank  = x.dims().size();
  const int64_t rows = x.dims()[rank - 2], columns = x.dims()[rank - 1], k = diagonal(call);
  Offsets kept;
  for (int64_t i = 0; i < x.size(); ++i) {
    const int64_t beyond = i % columns - i / columns % rows - k;
    if (upper ? beyond >= 0 : beyond <= 0) kept.push_back(i);
  }
  Array result(x.dtype(), x.dims());
  put(result, kept, take(x, {static_cast<int64_t>(kept.size())}, kept));
  return {result};
}

void grad(GradBuilder& builder) {
  const OpCall& call = builder.call();
  const Attributes attributes{{"upper", call.attributes.int_or("upper", 1)}, {"k", diagonal(call)}};
  builder.set_input_gradient(0, builder.emit("Trilu", attributes, {builder.output_gradient(0)})[0]);
}

}  // namespace

OpDef row() {
  return {
      .name          = "Trilu",
      .doc           = "x[..,m,n] with 0 below (upper = 0: above) diagonal k",
      .whole_because = "its result depends on where an element stands in the whole matrix",
      .infer         = [](const OpCall& call) -> std::vector<Type> {
        const Type x = tensor_operand(call, 0);
        if (has_rank(x) && x.dims.size() < 2) {
          call.fail("rank " + std::to_string(x.dims.size()) + "; 2 or more would be right");
        }
        return {x};
      },
      .factors = factors,
      .work    = elementwise_work<0>,
      .eval    = eval,
      .grad    = grad,
      .samples =
          [] {
            return std::vector<Sample>{
                {{}, {f32({2, 3, 4})}},
                {{{"upper", int64_t{0}}}, {f32({3, 3}), i64({})}, {{1, Array::scalar(int64_t{-1})}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::trilu
