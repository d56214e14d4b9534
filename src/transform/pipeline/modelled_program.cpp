#include "transform/pipeline/modelled_program.h"

#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/ir/uses.h"
#include "foreflow/ir/views.h"
#include "foreflow/transform/split_data.h"
#include "transform/pipeline/anchors.h"

namespace foreflow::transform {
namespace {

// The number of devices that have values.
size_t count_devices(const interpret::Values<LaidOut>& values) {
  std::set<int32_t> devices;
  for (const LaidOut& value : values) devices.insert(ir::device_of(value.value.type).index);
  devices.erase(0);  // on no device
  return devices.size();
}

// Gradients that ranks with copies of a weight make are summed once, behind all microbatches. If there is one, its
// gradients are not parts of sums, and nothing else tells so.
std::vector<StagePhase> phases_with_sums(const ir::Module& module, const ir::Function& function,
                                         const interpret::Values<LaidOut>& values) {
  std::vector<StagePhase> phases = phases_of(module, function, values);
  for (size_t o = 0; o < phases.size(); ++o) {
    if (function.ops[o].attributes->find(kOfCopies) != nullptr) phases[o] = StagePhase::update;
  }
  return phases;
}

}  // namespace

ModelledProgram::ModelledProgram(std::shared_ptr<const ir::Module> of, int parts_of_batch,
                                 const ir::WrittenDevices& written)
    : module(std::move(of)),
      function(module->entry()),
      parts(parts_of_batch),
      layouts(interpret_layouts(*module, parts, "microbatches")),
      values(layouts.entry().values),
      phases(phases_with_sums(*module, function, values)),
      ends(ends_of_groups(function, phases, values)),
      anchors(anchors_of(function, phases, ends)),
      makers(ir::makers_of(function)),
      represented(values, written),
      group(represented.count()),
      devices(count_devices(values)) {}

Bytes ModelledProgram::bytes_on_one(size_t value) const {
  return ir::bytes_of(local_type(values[value].value.type, values[value].layout, parts));
}

bool ModelledProgram::is_stored(size_t value) const {
  return value >= function.parameters.size() && !values[value].value.known && !values[value].layout.is_partial();
}

size_t ModelledProgram::root_of(size_t value) const {
  for (int32_t maker = makers[value]; maker >= 0; maker = makers[value]) {
    const ir::Op& op = nth(function.ops, maker);
    if (!ir::shares_operand(op) || function.inputs(op)[0] == ir::ValueId::none) break;
    value = ir::index(function.inputs(op)[0]);
  }
  return value;
}

}  // namespace foreflow::transform
