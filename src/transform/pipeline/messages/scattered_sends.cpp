#include "transform/pipeline/messages/scattered_sends.h"

#include <string>

#include "foreflow/base/nth.h"
#include "foreflow/ir/replicas.h"

namespace foreflow::transform {

using ir::ValueId;

ScatteredSends::ScatteredSends(const PipelinedProgram& program, const Pipeline& wanted, const ValueSources& sources,
                               ir::FunctionBuilder& builder, PlacedValues& placed)
    : program_(program),
      sources_(sources),
      builder_(builder),
      placed_(placed),
      ways_(wanted.scattered),
      shards_(wanted.prices.written.shards),
      replicated_(ways_ > 1 ? replicated_values(program.function, program.values, wanted.equal_parameters)
                            : Replicated()) {}

bool ScatteredSends::sends(ValueId id, int part) const {
  if (ways_ == 1 || program_.slot(id, part) == kEveryMicrobatch || replicated_.group_of[ir::index(id)] < 0)
    return false;
  return axis_of(id) >= 0;
}

// The first dimension behind the samples that can be cut into `ways_` parts; -1: there is none.
int64_t ScatteredSends::axis_of(ValueId id) const {
  const ir::Dims dims = program_.local(id).dims;
  for (size_t axis = 1; axis < dims.size(); ++axis) {
    if (dims[axis] % ways_ == 0) return static_cast<int64_t>(axis);
  }
  return -1;
}

// A value of every device of the group.
const std::vector<ValueId>& ScatteredSends::equal_to(ValueId id) const {
  return nth(replicated_.groups, replicated_.group_of[ir::index(id)]);
}

const std::vector<ValueId>& ScatteredSends::send(ValueId id, int part, int device) {
  const auto [found, fresh] = arriving_.try_emplace({replicated_.group_of[ir::index(id)], part, device});
  if (!fresh) return found->second;
  const std::vector<ValueId>& equal = equal_to(id);
  for (size_t i = 0; i < equal.size(); ++i) {
    const ValueId whole = placed_.find(equal[i], program_.slot(equal[i], part), sources_.of(equal[i], part));
    const auto parts    = builder_.emit("Split", {whole},
                                        {{"axis", axis_of(id)}, {"num_outputs", int64_t{ways_}}, {"placed", int64_t{1}}},
                                        static_cast<size_t>(ways_));
    found->second.push_back(builder_.op("Send", {parts[i]}, {{"to", placed_.device_of(equal[i], device)}}));
  }
  return found->second;
}

void ScatteredSends::gather(ValueId id, int part, int device) {
  const std::vector<ValueId>& parts = send(id, part, device);
  const std::vector<ValueId>& equal = equal_to(id);
  ir::Attributes attributes{{"axis", axis_of(id)}};
  if (shards_ > 0) attributes.set(std::string(ir::kShards), int64_t{shards_});
  const auto wholes = builder_.emit("MPIAllgather", parts, std::move(attributes), parts.size());
  for (size_t i = 0; i < equal.size(); ++i) placed_.set(equal[i], program_.slot(equal[i], part), device, wholes[i]);
}

}  // namespace foreflow::transform
