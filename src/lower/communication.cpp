#include "foreflow/lower/communication.h"

#include <algorithm>
#include <array>

#include "foreflow/ir/replicas.h"

namespace foreflow::lower {
namespace {

using collective::Kind;

struct Row {
  std::string_view op;
  Kind kind;
  // What the bytes of this kind mean (collective.h): those of the first operand or of the first result.
  enum class Counts : uint8_t { operand, result } counts;
};

constexpr std::array kRows = {Row{"Send", Kind::send, Row::Counts::operand},
                              Row{"MPIAllreduce", Kind::all_reduce, Row::Counts::operand},
                              Row{"MPIAllreduceMax", Kind::all_reduce, Row::Counts::operand},
                              Row{"MPIReduce", Kind::reduce, Row::Counts::operand},
                              Row{"MPIAllgather", Kind::all_gather, Row::Counts::result},
                              Row{"MPIReduceScatter", Kind::reduce_scatter, Row::Counts::operand},
                              Row{"MPIAlltoall", Kind::all_to_all, Row::Counts::operand},
                              Row{"MPIBroadcast", Kind::broadcast, Row::Counts::operand},
                              Row{"MPIScatter", Kind::scatter, Row::Counts::operand},
                              Row{"MPIGather", Kind::gather, Row::Counts::result},
                              Row{"MPIShift", Kind::shift, Row::Counts::operand}};

void add_once(std::vector<ir::Device>& members, const ir::Device& device) {
  if (std::find(members.begin(), members.end(), device) == members.end()) members.push_back(device);
}

std::vector<ir::Type> repeated(const std::vector<ir::Type>& types, int times) {
  std::vector<ir::Type> all;
  for (int i = 0; i < times; ++i) all.insert(all.end(), types.begin(), types.end());
  return all;
}

}  // namespace

Meeting meeting_of(const ir::Op& op, const std::vector<ir::Type>& inputs, const std::vector<ir::Type>& outputs,
                   const cost::CostModel& cost, const Options& options) {
  const auto row =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& candidate) { return candidate.op == op.def->name; });
  FOREFLOW_CHECK(row != kRows.end(), "every communication op has a collective");
  Meeting meeting;
  const bool root_receives = row->kind == Kind::reduce || row->kind == Kind::gather;
  for (const auto* side : root_receives ? std::array{&outputs, &inputs} : std::array{&inputs, &outputs}) {
    for (const ir::Type& type : *side) add_once(meeting.members, ir::device_of(type));
  }
  meeting.replicas = static_cast<int>(op.attributes->int_or(ir::kReplicas, 1));
  const auto all = repeated(inputs, meeting.replicas), all_outputs = repeated(outputs, meeting.replicas);
  const std::vector<const ir::Array*> known(all.size(), nullptr);
  const auto results = static_cast<uint32_t>(all_outputs.size());
  const cost::Application application{{*op.def, *op.attributes, all, known, results}, all_outputs};
  const auto ranks                             = static_cast<int>(meeting.members.size()) * meeting.replicas;
  const collective::AlgorithmDef* const chosen = options.algorithms[static_cast<size_t>(row->kind)];
  meeting.what.name                            = std::string(op.def->name);
  meeting.what.kind                            = row->kind;
  meeting.what.algorithm                       = chosen != nullptr ? chosen : &collective::default_algorithm(row->kind);
  meeting.what.bytes = ir::bytes_of(row->counts == Row::Counts::operand ? inputs[0] : outputs[0]);
  meeting.what.fixed = ranks < 2 ? std::optional(Seconds(0)) : cost.communication(application, ranks);
  return meeting;
}

bool is_among(const GroupAlgorithms& group, const std::vector<int>& ranks) {
  const int first = ranks.front();
  return std::all_of(ranks.begin(), ranks.end(), [&](int rank) {
    return rank % group.stride == first % group.stride &&
           rank / group.stride / group.size == first / group.stride / group.size;
  });
}

}  // namespace foreflow::lower
