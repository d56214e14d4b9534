#include <cmath>

#include "foreflow/ir/countable.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"
#include "ops/signal/signal_window.h"

namespace foreflow::ops::definitions::mel_weight_matrix {

namespace {

enum Operand : size_t { kBins, kLength, kRate, kLowest, kHighest };

int64_t number(const OpCall& call, size_t operand) {
  tensor_operand(call, operand);
  if (call.known[operand] == nullptr) return Dims::kUnknown;
  const int64_t known = call.known[operand]->to_ints().at(0);
  if (known < 0)
    call.fail("operand " + std::to_string(operand) + " is " + std::to_string(known) + "; it may not be negative");
  return known;
}

std::vector<Type> infer(const OpCall& call) {
  const int64_t length = number(call, kLength);
  return {
      Type::tensor(output_datatype(call), {length == Dims::kUnknown ? length : length / 2 + 1, number(call, kBins)})};
}

double to_mel(double hertz) { return 2595 * std::log10(1 + hertz / 700); }
double to_hertz(double mel) { return 700 * (std::pow(10, mel / 2595) - 1); }

// Triangles over the bins of the spectrum, whose corners are equally far apart in mel.
std::vector<Array> eval(const OpCall& call) {
  const Type type   = infer(call)[0];
  const auto bins   = static_cast<size_t>(type.dims[1]);
  const double rate = value_of(call, kRate).at(0), length = value_of(call, kLength).at(0);
  const double lowest = to_mel(value_of(call, kLowest).at(0)), highest = to_mel(value_of(call, kHighest).at(0));
  std::vector<int64_t> corners;
  for (size_t i = 0; i < bins + 2; ++i) {
    const double mel = static_cast<double>(i) * (highest - lowest) / static_cast<double>(bins + 2) + lowest;
    corners.push_back(ir::clamped_whole(std::floor((length + 1) * to_hertz(mel) / rate)));
    if (corners.back() < 0 || corners.back() >= type.dims[0])
      call.fail("the edges lie outside the spectrum; 0 to half the sample rate would be right");
  }
  std::vector<double> weights(static_cast<size_t>(element_count(type.dims)));
  for (size_t bin = 0; bin < bins; ++bin) {
    const int64_t from = corners[bin], peak = corners[bin + 1], to = corners[bin + 2];
    const auto at = [&](int64_t row) -> double& { return weights[static_cast<size_t>(row) * bins + bin]; };
    for (int64_t row = from; row < peak; ++row)
      at(row) = static_cast<double>(row - from) / static_cast<double>(peak - from);
    at(peak) = 1;
    for (int64_t row = peak; row < to; ++row) at(row) = static_cast<double>(to - row) / static_cast<double>(to - peak);
  }
  return {array_of(type.dtype, type.dims, weights)};
}

std::vector<Sample> samples() {
  const auto with = [](int64_t bins, int64_t length, int64_t rate, float lowest, float highest) -> Sample {
    return {{},
            {i64({}), i64({}), i64({}), f32({}), f32({})},
            {{0, Array::scalar(bins)},
             {1, Array::scalar(length)},
             {2, Array::scalar(rate)},
             {3, Array::scalar(lowest)},
             {4, Array::scalar(highest)}}};
  };
  return {with(8, 16, 8192, 0, 4096), with(4, 32, 16000, 125, 7500)};
}

}  // namespace

OpDef row() {
  return {
      .name = "MelWeightMatrix",
      .doc = "bins, dft length, sample rate, lowest and highest hertz -> w[dft length / 2 + 1, bins]: triangles in mel",
      .infer   = infer,
      .factors = [](const OpCall& call) -> Factors { return {.text = factor_text(call, {}, {".."})}; },
      .work    = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 2 * count_of(outputs[0])); },
      .eval    = eval,
      .samples = samples,
  };
}

}  // namespace foreflow::ops::definitions::mel_weight_matrix
