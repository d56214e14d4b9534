#include "transform/pipeline/model/modelled_program.h"

#include <optional>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/ir/uses.h"
#include "foreflow/ir/views.h"
#include "foreflow/transform/split_data.h"
#include "transform/pipeline/phases/anchors.h"

namespace foreflow::transform {
namespace {

// The number of devices that have values.
size_t count_devices(const interpret::Values<LaidOut>& values) {
  std::set<int32_t> devices;
  for (const LaidOut& value : values) {
    const ir::Device device = ir::device_of(value.value.type);
    if (device.index > 0) devices.insert(device.index);
  }
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

// The operand of which a value is a view.
std::optional<size_t> viewed_by(const ir::Function& function, const std::vector<int32_t>& makers, size_t value) {
  if (makers[value] < 0) return std::nullopt;
  const ir::Op& op = nth(function.ops, makers[value]);
  if (!ir::shares_operand(op) || function.inputs(op)[0] == ir::ValueId::none) return std::nullopt;
  return ir::index(function.inputs(op)[0]);
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
      devices(count_devices(values)),
      bytes_(find_bytes()),
      sources_(find_sources()),
      roots_(find_roots()) {}

std::vector<Bytes> ModelledProgram::find_bytes() const {
  std::vector<Bytes> bytes;
  for (const LaidOut& value : values) bytes.push_back(ir::bytes_of(local_type(value.value.type, value.layout, parts)));
  return bytes;
}

bool ModelledProgram::is_stored(size_t value) const {
  return value >= function.parameters.size() && !values[value].value.known && !values[value].layout.is_partial();
}

std::vector<size_t> ModelledProgram::find_sources() const {
  std::vector<size_t> sources(function.values.size());
  for (size_t value = 0; value < sources.size(); ++value) {
    const auto viewed = viewed_by(function, makers, value);
    sources[value]    = viewed ? sources[*viewed] : value;
  }
  return sources;
}

// A view of a part of an activation is a copy of that part. Parts of weights may be cut once for all microbatches.
std::vector<size_t> ModelledProgram::find_roots() const {
  std::vector<size_t> roots(function.values.size());
  for (size_t value = 0; value < roots.size(); ++value) {
    const auto viewed  = viewed_by(function, makers, value);
    const bool of_data = viewed && sources_[value] >= function.parameters.size();
    roots[value]       = !viewed || (of_data && is_copied_part(value, *viewed)) ? value : roots[*viewed];
  }
  return roots;
}

bool ModelledProgram::is_copied_part(size_t view, size_t of) const {
  return nth(function.ops, makers[view]).result_count == 1 && bytes_on_one(view) < bytes_on_one(of);
}

}  // namespace foreflow::transform
