// The operands of the computes of a function, their work and their price. Each is found once for equal ops on equal
// values.
#pragma once

#include <optional>
#include <vector>

#include "foreflow/base/sequence_table.h"
#include "foreflow/cost/cost.h"
#include "lower/op_values.h"

namespace foreflow::lower {

class KnownComputes {
 public:
  struct Known {
    std::vector<ir::Type> inputs, outputs;
    std::vector<const ir::Array*> known;  // as OpCall::known
    bool on_host = false;                 // as Application::on_host
    ir::Device device;
    ir::Work work;                     // on the device
    std::optional<cost::Price> alone;  // the price of a kernel of its own; nothing: it was not asked for yet

    // Valid as long as this stays where it is.
    cost::Application application(const ir::Op& op) const {
      return {{*op.def, *op.attributes, inputs, known, op.result_count}, outputs, on_host};
    }
  };

  // Valid until the next call. Throws Error where a shape is not known.
  Known& of(const ir::Op& op, OpValues& values) {
    const uint32_t number = numbers_.number(values.words(op));
    if (number == known_.size()) known_.push_back(made(op, values));
    return known_[number];
  }

 private:
  static Known made(const ir::Op& op, const OpValues& values) {
    Known known{
        values.input_types(op), values.output_types(op), values.known_inputs(op), values.knows_outputs(op), {}, {}, {}};
    values.check_resolved(op, known.inputs);
    values.check_resolved(op, known.outputs);
    known.device = interpret::common_device(known.inputs);
    if (!known.device.placed() && !known.outputs.empty()) known.device = ir::device_of(known.outputs[0]);
    if (!known.on_host) known.work = op.def->work(known.application(op).call, known.outputs);
    return known;
  }

  SequenceTable numbers_;
  std::vector<Known> known_;  // by number
};

}  // namespace foreflow::lower
