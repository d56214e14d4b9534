#include "ops/common/kernel.h"
#include "ops/common/table_rows.h"
#include "ops/common/work.h"
#include "ops/loss/cross_entropy.h"

namespace foreflow::ops::definitions::softmax_cross_entropy_loss_internal {

namespace {

std::vector<Type> infer(const OpCall& call) {
  std::vector<Type> types = row_of("SoftmaxCrossEntropyLoss").infer(call);
  const auto dtype        = output_dtype(call);
  for (Type& type : types) {
    if (dtype && type.is_tensor()) type.dtype = *dtype;
  }
  return types;
}

std::vector<Array> eval(const OpCall& call) {
  const Wide wide(call);
  std::vector<Array> results = row_of("SoftmaxCrossEntropyLoss").eval(wide.call());
  const DType dtype          = output_dtype(call).value_or(value_of(call, 0).dtype());
  for (Array& result : results) result = array_of(dtype, result.dims(), values_of<double>(result));
  return results;
}

}  // namespace

OpDef row() {
  return {
      .name = "SoftmaxCrossEntropyLossInternal",
      .doc =
          "logits, labels, weights, ignore_index -> loss and log(softmax(logits)): SoftmaxCrossEntropyLoss with data "
          "type output_type",
      .domain        = "com.microsoft",
      .normalises    = true,
      .loss          = true,
      .whole_because = "its result depends on the numbers of all samples that count",
      .infer         = infer,
      .factors       = [](const OpCall& call) { return row_of("SoftmaxCrossEntropyLoss").factors(call); },
      .work          = [](const OpCall& call,
                 std::span<const Type> outputs) { return computes(call, outputs, 5 * count_of(call.inputs[0])); },
      .eval          = eval,
      .samples =
          [] {
            std::vector<Sample> samples = cross_entropy_samples();
            Sample ignoring             = {{{"output_type", "Float16"}},
                                           {f32({4, 3}), i64({4}), {}, i64({})},
                                           {{1, Array::of_ints({4}, {0, 2, 1, 2})}, {3, Array::scalar(int64_t{2})}},
                                           2};
            samples.push_back(std::move(ignoring));
            return samples;
          },
  };
}

}  // namespace foreflow::ops::definitions::softmax_cross_entropy_loss_internal
