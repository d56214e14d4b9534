#include "foreflow/base/nth.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/views.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::reverse_sequence {

namespace {

struct Axes {
  size_t batch, time;
};

Axes axes_of(const OpCall& call) {
  const int64_t batch = call.attributes.int_or("batch_axis", 1), time = call.attributes.int_or("time_axis", 0);
  if (batch + time != 1 || batch * time != 0) call.fail("batch_axis and time_axis are not 0 and 1 or 1 and 0");
  return {.batch = static_cast<size_t>(batch), .time = static_cast<size_t>(time)};
}

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, 0), lengths = tensor_operand(call, 1);
  const Axes axes = axes_of(call);
  if (has_rank(x) && x.dims.size() < 2)
    call.fail("the operand is " + to_string(x.dims) + "; at least two dimensions would be right");
  if (has_dims(x) && has_dims(lengths) && lengths.dims != Dims{x.dims[axes.batch]}) {
    call.fail("the lengths are " + to_string(lengths.dims) + "; one for each of " + std::to_string(x.dims[axes.batch]) +
              " sequences would be right");
  }
  return {x};
}

Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const Axes axes  = axes_of(call);
  std::string text = letters(tensor_operand(call, 0).dims.size());
  text[axes.time]  = '.';
  return {.text = factor_text(call, {text, text.substr(axes.batch, 1)}, {text})};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x        = value_of(call, 0);
  const Axes axes       = axes_of(call);
  const auto lengths    = value_of(call, 1).to_ints();
  const Offsets strides = strides_of(x.dims());
  Offsets offsets(static_cast<size_t>(x.size()));
  for (size_t i = 0; i < offsets.size(); ++i) {
    const auto at        = static_cast<int64_t>(i);
    const int64_t time   = at / strides[axes.time] % x.dims()[axes.time];
    const int64_t length = nth(lengths, at / strides[axes.batch] % x.dims()[axes.batch]);
    if (length < 0 || length > x.dims()[axes.time]) {
      call.fail("a sequence of length " + std::to_string(length) + " in a dimension of " +
                std::to_string(x.dims()[axes.time]));
    }
    offsets[i] = time < length ? at + (length - 1 - 2 * time) * strides[axes.time] : at;
  }
  return {take(x, x.dims(), offsets)};
}

}  // namespace

OpDef row() {
  return {
      .name = "ReverseSequence",
      .doc =
          "x[t,b,..], lengths[b] -> x with the first lengths[b] elements of sequence b turned round; time_axis, "
          "batch_axis",
      .additive      = true,
      .whole_because = "it reverses that dimension",
      .infer         = infer,
      .factors       = factors,
      .work          = [](const OpCall& call, std::span<const Type> outputs) { return moves(call, outputs); },
      .eval          = eval,
      .grad =
          [](GradBuilder& builder) {
            builder.set_input_gradient(0, builder.emit("ReverseSequence", builder.call().attributes,
                                                       {builder.output_gradient(0), builder.input(1)})[0]);
          },
      .samples =
          [] {
            return std::vector<Sample>{{{}, {f32({3, 2}), i64({2})}, {{1, Array::of_ints({2}, {3, 2})}}},
                                       {{{"batch_axis", int64_t{0}}, {"time_axis", int64_t{1}}},
                                        {f32({2, 3, 2}), i64({2})},
                                        {{1, Array::of_ints({2}, {1, 3})}}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::reverse_sequence
