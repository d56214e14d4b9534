#include "transform/recompute/host_moves.h"

#include <map>

#include "foreflow/ir/host_memory.h"

namespace foreflow::transform {
namespace {

using ir::Device;
using ir::ValueId;

class Mover {
 public:
  Mover(const ir::Function& function, const ir::OpTable& ops, const std::vector<HostMove>& moves,
        const std::set<size_t>& callers)
      : function_(function),
        callers_(callers),
        builder_(function.name, ops),
        here_(function.values.size()),
        away_(function.values.size()) {
    for (const HostMove& move : moves) {
      moves_.emplace(move.value, &move);
      if (move.out != kNever) out_[move.out].push_back(&move);
      if (move.back != kNever) back_[move.back].push_back(&move);
      if (move.needed != kNever) needed_[move.needed].push_back(&move);
    }
  }

  ir::Function run() {
    for (size_t i = 0; i < function_.parameters.size(); ++i) parameter(i);
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      for (const HostMove* move : needed_[o]) {
        if (move->back == o) bring_back(*move);
        here_.set(move->value, send(*move, away_(move->value), ""));
      }
      for (const HostMove* move : back_[o]) {
        if (move->needed != o) bring_back(*move);
      }
      copy(o);
      for (const HostMove* move : out_[o]) away_.set(move->value, send(*move, here_(move->value), ir::kHostMemory));
    }
    std::vector<ValueId> results;
    for (const ValueId id : function_.results) results.push_back(moves_.contains(id) ? away_(id) : here_(id));
    return builder_.finish(std::move(results));
  }

 private:
  ValueId send(const HostMove& move, ValueId value, std::string_view stream) {
    return builder_.op("Send", {value}, {{"to", Device(move.device, stream)}});
  }

  void bring_back(const HostMove& move) { away_.set(move.value, send(move, away_(move.value), ir::kFromHost)); }

  bool comes_from_host(ValueId id) const {
    const auto move = moves_.find(id);
    return move != moves_.end() && move->second->out == kNever;
  }

  void parameter(size_t i) {
    const auto id   = static_cast<ValueId>(i);
    const bool away = comes_from_host(id);
    // The host's is not the device that is stated.
    (away ? away_ : here_)
        .set(id, builder_.parameter(function_.values[i].name, function_.parameters[i],
                                    away ? ir::TypeRef() : function_.values[i].annotation));
  }

  void copy(size_t o) {
    const ir::Op& op    = function_.ops[o];
    const bool as_it_is = callers_.contains(o);
    std::vector<ValueId> operands;
    for (const ValueId id : function_.inputs(op))
      operands.push_back(id != ValueId::none && as_it_is && moves_.contains(id) ? away_(id) : here_(id));
    const auto first =
        static_cast<size_t>(builder_.append(op.def, op.callee, op.attributes, operands, op.result_count));
    for (uint32_t i = 0; i < op.result_count; ++i) {
      const ValueId old = function_.output(op, i), copy = static_cast<ValueId>(first + i);
      const bool away = comes_from_host(old);
      builder_.set_name(copy, function_.value(old).name);
      if (!away) builder_.annotate(copy, function_.value(old).annotation);
      (away ? away_ : here_).set(old, copy);
    }
  }

  const ir::Function& function_;
  const std::set<size_t>& callers_;
  ir::FunctionBuilder builder_;
  std::map<ValueId, const HostMove*> moves_;
  std::map<size_t, std::vector<const HostMove*>> out_, back_, needed_;  // by op
  ValueMap here_, away_;  // on the device; on the host, or on the way back
};

}  // namespace

ir::Function with_moves(const ir::Function& function, const ir::OpTable& ops, const std::vector<HostMove>& moves,
                        const std::set<size_t>& callers) {
  return Mover(function, ops, moves, callers).run();
}

}  // namespace foreflow::transform
