#include "transform/pipeline/model/kept_activations.h"

#include <algorithm>

namespace foreflow::transform {
namespace {

// Per value: the last anchor of the backward ops that read it; -1: none does.
std::vector<int32_t> backward_readers(const ModelledProgram& program) {
  std::vector<int32_t> reader(program.function.values.size(), -1);
  for (size_t o = 0; o < program.function.ops.size(); ++o) {
    if (program.phases[o] != StagePhase::backward) continue;
    for (const ir::ValueId id : program.function.inputs(program.function.ops[o])) {
      if (id != ir::ValueId::none) reader[ir::index(id)] = std::max(reader[ir::index(id)], program.anchors[o]);
    }
  }
  return reader;
}

}  // namespace

std::vector<KeptActivation> kept_activations(const ModelledProgram& program) {
  const ir::Function& function = program.function;
  std::vector<int32_t> reader  = backward_readers(program);
  std::vector<KeptActivation> kept;
  for (size_t o = function.ops.size(); o-- > 0;) {
    const ir::Op& op = function.ops[o];
    if (program.phases[o] != StagePhase::forward) continue;
    for (size_t value = op.first_result; value < op.first_result + op.result_count; ++value) {
      if (reader[value] < 0 || program.values[value].value.known) continue;
      const bool view = op.result_count == 1 && program.root_of(value) != value;
      if (view) {
        int32_t& base = reader[ir::index(function.inputs(op)[0])];
        base          = std::max(base, reader[value]);
      } else {
        kept.push_back({program.anchors[o], reader[value], program.bytes_of(value)});
      }
    }
  }
  return kept;
}

}  // namespace foreflow::transform
