// Moves the shifts of ring attention to streams of their own, so that a block of keys travels while the attention to
// the block before it is computed:
//
//   %k2.1, %k2.2 = MPIShift(%k1.1, %k1.2)        %v1, %v2 = MPIShift(Send(%k1.1, 1.cp), Send(%k1.2, 2.cp))
//   %o1.1 = BlockAttention(%q.1, %k1.1, ..)  ->  %o1.1 = BlockAttention(%q.1, %k1.1, ..)
//   ..                                           ..
//   %o2.1 = BlockAttention(%q.1, %k2.1, ..)      %k2.1 = Send(%v1, 1)                         // before its first use
//                                                %o2.1 = BlockAttention(%q.1, %k2.1, ..)
//
// A stream works in order. Of several shifts in a row (of keys, values and the sums of their gradients), the values
// that arrived and are passed on are therefore all fetched before the first of these shifts begins.
#include <algorithm>

#include "foreflow/base/nth.h"
#include "foreflow/ir/text.h"
#include "foreflow/transform/context_attention.h"
#include "foreflow/transform/overlap.h"
#include "foreflow/transform/passes.h"
#include "transform/rewrite/awaited.h"
#include "transform/rewrite/stated_devices.h"

namespace foreflow::transform {
namespace {

using ir::Device;
using ir::ValueId;

constexpr std::string_view kRingStream = "cp";

class RingOverlapper {
 public:
  RingOverlapper(const ir::Function& function, const MixedInstance* instance, std::vector<bool>& names_devices,
                 const ir::OpTable& ops)
      : function_(function),
        instance_(instance),
        names_devices_(names_devices),
        builder_(function.name, ops),
        map_(function.values.size()),
        awaited_(function, builder_, map_) {}

  ir::Function run() {
    copy_parameters(builder_, function_, map_);
    for (size_t o = 0; o < function_.ops.size();) {
      const size_t end = instance_ == nullptr ? o : end_of_shifts(o);
      if (end > o) {
        write_shifts(o, end);
        o = end;
        continue;
      }
      const ir::Op& op = function_.ops[o];
      awaited_.fetch(function_.inputs(op));
      copy_op(builder_, function_, op.is_call() ? on_stated_devices(o) : op, map_);
      ++o;
    }
    names_devices_.push_back(names_streams_);
    awaited_.fetch(function_.results);
    return builder_.finish(copies(function_.results, map_));
  }

 private:
  Device device(ValueId id) const { return ir::device_of(instance_->values[ir::index(id)].type); }

  ir::Op on_stated_devices(size_t o) {
    const ir::Op& op = function_.ops[o];
    if (!nth(names_devices_, op.callee)) return op;
    names_streams_ = true;
    return with_stated_devices(builder_, function_, o, instance_);
  }

  // The end of the run of shifts that begins at op `begin`. None of them reads a result of another.
  size_t end_of_shifts(size_t begin) const {
    size_t end = begin;
    for (; end < function_.ops.size(); ++end) {
      const ir::Op &op = function_.ops[end], &first = function_.ops[begin];
      if (op.is_call() || op.def->communication != ir::Communication::shift || op.attributes != first.attributes) break;
      const auto inputs = function_.inputs(op);
      if (std::any_of(inputs.begin(), inputs.end(), [&](ValueId id) { return ir::index(id) >= first.first_result; }))
        break;
    }
    return end;
  }

  void write_shifts(size_t begin, size_t end) {
    names_streams_ = true;
    for (size_t o = begin; o < end; ++o) awaited_.fetch(function_.inputs(function_.ops[o]));
    for (size_t o = begin; o < end; ++o) {
      const ir::Op& op  = function_.ops[o];
      const auto inputs = function_.inputs(op);
      std::vector<ValueId> sent;
      for (const ValueId id : inputs)
        sent.push_back(builder_.op("Send", {map_(id)}, {{"to", Device(device(id).index, kRingStream)}}));
      const auto come = ir::index(builder_.append(op.def, -1, op.attributes, sent, sent.size()));
      for (size_t i = 0; i < sent.size(); ++i) {
        awaited_.expect(function_.output(op, i),
                        [this, value = static_cast<ValueId>(come + i), to = device(inputs[i])] {
                          return builder_.op("Send", {value}, {{"to", to}});
                        });
      }
    }
  }

  const ir::Function& function_;
  const MixedInstance* instance_;     // null: the function has several that differ
  std::vector<bool>& names_devices_;  // of the functions above
  bool names_streams_ = false;
  ir::FunctionBuilder builder_;
  ValueMap map_;
  Awaited awaited_;
};

}  // namespace

ir::Module overlap_ring(const ir::Module& module, const ir::OpTable& ops) {
  const interpret::MixedInterpretation interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  const std::vector<const MixedInstance*> instances   = instance_by_function(module, interpretation);
  std::vector<bool> names_devices;
  ir::Module result;
  result.source = module.source;
  for (size_t f = 0; f < module.functions.size(); ++f)
    result.functions.push_back(RingOverlapper(module.functions[f], instances[f], names_devices, ops).run());
  ir::verify(result);
  return result;
}

namespace definitions::overlap_ring {
PassDef row() {
  return {"overlap_ring",
          "keys and values that go round a ring (split_data with attention=ring) on streams of their own, beside the "
          "attention that they come to",
          {},
          [](const ir::Module& module, const ir::OpTable& ops, const PassArguments&) {
            return transform::overlap_ring(module, ops);
          }};
}
}  // namespace definitions::overlap_ring

}  // namespace foreflow::transform
