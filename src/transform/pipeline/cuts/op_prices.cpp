#include "transform/pipeline/cuts/op_prices.h"

#include <algorithm>

namespace foreflow::transform {

DevicesOfProgram::DevicesOfProgram(const interpret::Values<LaidOut>& values, const ir::WrittenDevices& written)
    : written_(written) {
  int32_t last = 1;
  for (const LaidOut& value : values) last = std::max(last, ir::device_of(value.value.type).index);
  count_ = written.count(last);
}

const OpPrices::Price& OpPrices::operator()(const ir::Function& function, const ir::Op& op,
                                            const interpret::Values<LaidOut>& values) {
  const uint32_t number = known_.number(words_of(function, op, attributes_.of(op.attributes), values, words_));
  if (number == found_.size()) found_.push_back(price(function, op, values));
  return found_[number];
}

OpPrices::Price OpPrices::price(const ir::Function& function, const ir::Op& op,
                                const interpret::Values<LaidOut>& values) {
  const Verdict& verdict = judge_(function, op, values);
  std::vector<ir::Type> inputs, outputs, local_inputs, local_outputs;
  const auto add = [&](const LaidOut& value, const Layout& layout, std::vector<ir::Type>& types,
                       std::vector<ir::Type>& local) {
    types.push_back(value.value.type);
    local.push_back(local_type(value.value.type, verdict.as_it_arrives ? value.layout : layout, ways_));
  };
  const auto operands = function.inputs(op);
  for (size_t i = 0; i < operands.size(); ++i) {
    const LaidOut value = operands[i] == ir::ValueId::none ? LaidOut() : values[ir::index(operands[i])];
    add(value, verdict.decision.inputs[i], inputs, local_inputs);
  }
  for (uint32_t i = 0; i < op.result_count; ++i)
    add(values[op.first_result + i], verdict.decision.outputs[i], outputs, local_outputs);
  const std::vector<const ir::Array*> known(inputs.size(), nullptr);
  const double flops = op.def->work({*op.def, *op.attributes, inputs, known, op.result_count}, outputs).flops.value();
  const ir::OpCall local{*op.def, *op.attributes, local_inputs, known, op.result_count};
  return {flops, prices_.op ? prices_.op(local, local_outputs) : Seconds(flops / ways_)};
}

}  // namespace foreflow::transform
