#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"
#include "ops/signal/fourier.h"

namespace foreflow::ops::definitions::stft {

namespace {

enum Operand : size_t { kSignal, kStep, kWindow, kLength };

bool is_onesided(const OpCall& call) { return call.attributes.int_or("onesided", 1) != 0; }

// The one number of an operand; kUnknown while it is not known.
int64_t number(const OpCall& call, size_t operand) {
  return call.known[operand] == nullptr ? Dims::kUnknown : call.known[operand]->to_ints().at(0);
}

// Numbers in a frame: frame_length, or as many as the window has.
int64_t frame_of(const OpCall& call) {
  if (call.has(kLength)) return number(call, kLength);
  if (!call.has(kWindow)) call.fail("needs a window or a frame_length");
  const Type window = tensor_operand(call, kWindow);
  return has_rank(window) ? window.dims[0] : Dims::kUnknown;
}

std::vector<Type> infer(const OpCall& call) {
  const Type x = tensor_operand(call, kSignal);
  tensor_operand(call, kStep);
  const int64_t step = number(call, kStep), frame = frame_of(call);
  const bool parts =
      !has_rank(x) || x.dims.size() != 3 || x.dims[2] == Dims::kUnknown || x.dims[2] == 1 || x.dims[2] == 2;
  if (!parts || (has_rank(x) && x.dims.size() != 2 && x.dims.size() != 3))
    call.fail("the signal is " + to_string(x.dims) + "; (batch, length, 1 or 2) would be right");
  if (x.kind == Type::Kind::unknown) return {x};
  Dims dims{Dims::kUnknown, Dims::kUnknown, Dims::kUnknown, 2};
  if (frame != Dims::kUnknown) dims[2] = is_onesided(call) ? frame / 2 + 1 : frame;
  if (has_rank(x)) {
    dims[0] = x.dims[0];
    if (x.dims[1] != Dims::kUnknown && step != Dims::kUnknown && frame != Dims::kUnknown) {
      if (step <= 0 || frame <= 0 || frame > x.dims[1])
        call.fail("frames of " + std::to_string(frame) + " every " + std::to_string(step) + " numbers do not fit in " +
                  std::to_string(x.dims[1]));
      dims[1] = (x.dims[1] - frame) / step + 1;
    }
  }
  return {with_dims(x, dims)};
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x    = value_of(call, kSignal);
  const Dims dims   = infer(call)[0].dims;
  const auto values = values_of<double>(x);
  const auto length = static_cast<size_t>(x.dims()[1]), frame = static_cast<size_t>(frame_of(call)),
             step = static_cast<size_t>(number(call, kStep)), bins = static_cast<size_t>(dims[2]);
  const size_t parts = x.dims().size() == 3 ? static_cast<size_t>(x.dims()[2]) : 1;
  const auto window  = call.has(kWindow) ? values_of<double>(value_of(call, kWindow)) : std::vector<double>(frame, 1.0);
  if (window.size() != frame)
    call.fail("the window has " + std::to_string(window.size()) + " numbers; a frame has " + std::to_string(frame));
  std::vector<double> y;
  std::vector<std::complex<double>> piece(frame);
  for (size_t b = 0; b < static_cast<size_t>(dims[0]); ++b) {
    for (size_t f = 0; f < static_cast<size_t>(dims[1]); ++f) {
      for (size_t i = 0; i < frame; ++i) {
        const double* const at = values.data() + (b * length + f * step + i) * parts;
        piece[i]               = std::complex<double>(at[0], parts == 2 ? at[1] : 0) * window[i];
      }
      for (const auto& bin : fourier(piece, frame, bins, Transform::forward)) {
        y.push_back(bin.real());
        y.push_back(bin.imag());
      }
    }
  }
  return {array_of(x.dtype(), dims, y)};
}

Work work(const OpCall& call, std::span<const Type> outputs) {
  if (!has_dims(outputs[0])) return computes(call, outputs, 0);
  const Dims& dims = outputs[0].dims;
  return computes(call, outputs,
                  static_cast<double>(dims[0] * dims[1]) * fourier_flops(static_cast<double>(frame_of(call))));
}

std::vector<Sample> samples() {
  const std::pair<size_t, Array> step{kStep, Array::scalar(int64_t{2})}, frame{kLength, Array::scalar(int64_t{4})};
  return {{{}, {f32({2, 8, 1}), i64({}), f32({4})}, {step}},
          {{{"onesided", 0}}, {f32({2, 9, 2}), i64({}), Type{}, i64({})}, {step, frame}}};
}

}  // namespace

OpDef row() {
  return {
      .name = "STFT",
      .doc =
          "signal[b,n,1 or 2], step, window[l], frame length -> the transforms of windowed frames, [b,frames,bins,2]",
      .whole_because = "it transforms the whole signal",
      .infer         = infer,
      .factors       = [](const OpCall& call) -> Factors {
        if (!splittable(call)) return {};
        return {.text = factor_text(call, {"b" + dots(tensor_operand(call, kSignal).dims.size() - 1)}, {"b..."})};
      },
      .work    = work,
      .eval    = eval,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::stft
