#include "foreflow/lower/communication.h"

#include <algorithm>
#include <array>

#include "foreflow/base/nth.h"
#include "foreflow/ir/replicas.h"

namespace foreflow::lower {
namespace {

const collective::KindDef& kind_of(std::string_view op) {
  for (const collective::KindDef& def : collective::kinds()) {
    if (std::find(def.ops.begin(), def.ops.end(), op) != def.ops.end()) return def;
  }
  throw InternalError("no collective carries out the op " + std::string(op));
}

void add_once(std::vector<ir::Device>& members, const ir::Device& device) {
  if (std::find(members.begin(), members.end(), device) == members.end()) members.push_back(device);
}

// The number of participants. Where the types are those of all shards, of which the op has two, the members are all of
// them already.
size_t participants_of(const ir::Op& op, size_t inputs, size_t outputs, size_t members) {
  if (inputs == op.operand_count && outputs == op.result_count) return ir::ranks_of(*op.attributes, members);
  ir::Attributes without_shards = *op.attributes;
  without_shards.set(std::string(ir::kShards), int64_t{0});
  return ir::ranks_of(without_shards, members);
}

std::string_view name_of(const std::optional<cost::Price>& price) {
  return price ? cost::name(price->provenance) : std::string_view();
}

}  // namespace

void set_price(stream::Communication& what, const cost::MessagePrice& price) {
  what.fixed     = cost::time_of(price.anywhere);
  what.priced_by = name_of(price.anywhere);
  for (const auto& [nodes, measured] : price.measured)
    what.measured.push_back({nodes, cost::time_of(measured), name_of(measured)});
}

GroupCommunication communication_of(const ir::Op& op, const std::vector<ir::Type>& inputs,
                                    const std::vector<ir::Type>& outputs, const cost::CostModel& cost,
                                    const Options& options) {
  const collective::KindDef& kind = kind_of(op.def->name);
  GroupCommunication result;
  for (const auto* side : kind.root_receives ? std::array{&outputs, &inputs} : std::array{&inputs, &outputs}) {
    for (const ir::Type& type : *side) add_once(result.members, ir::device_of(type));
  }
  result.replicas = static_cast<int>(op.attributes->int_or(ir::kReplicas, 1));
  const std::vector<const ir::Array*> known(inputs.size(), nullptr);
  const auto results = static_cast<uint32_t>(outputs.size());
  const cost::Application application{{*op.def, *op.attributes, inputs, known, results}, outputs};
  const auto ranks = static_cast<int>(participants_of(op, inputs.size(), outputs.size(), result.members.size()));
  const collective::AlgorithmDef* const chosen = nth(options.algorithms, kind.kind);
  result.what.name                             = std::string(op.def->name);
  result.what.kind                             = kind.kind;
  result.what.algorithm                        = chosen != nullptr ? chosen : &collective::default_algorithm(kind.kind);
  result.what.bytes                            = ir::bytes_of(kind.counts_result ? outputs[0] : inputs[0]);
  set_price(result.what, ranks < 2 ? cost::MessagePrice{cost::Price(), {}} : cost.communication(application, ranks));
  // Data that one stream hands over to another of its device are no message, so no measured time is theirs.
  const bool hands_over =
      result.replicas == 1 && std::all_of(result.members.begin(), result.members.end(), [&](const ir::Device& member) {
        return member.same_gpu(result.members.front());
      });
  if (hands_over) result.what.measured.clear();
  result.what.start = kind.kind == collective::Kind::send ? options.message_start : options.collective_start;
  return result;
}

}  // namespace foreflow::lower
