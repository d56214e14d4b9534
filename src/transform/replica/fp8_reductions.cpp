#include "foreflow/transform/fp8_reductions.h"

#include <map>
#include <optional>

#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/builder.h"
#include "foreflow/ir/fp8.h"
#include "foreflow/ir/replicas.h"
#include "foreflow/ir/text.h"
#include "foreflow/transform/recompute.h"
#include "transform/rewrite/copy.h"
#include "transform/rewrite/stated_devices.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// The products in fp8 of one pass.
struct Pass {
  std::map<ir::Device, ValueId> last;  // by device: the result of the last one
  std::map<ir::Device, int64_t> count;
  size_t end = 0;  // the op of the last one
};

class ReductionWriter {
 public:
  ReductionWriter(const ir::Function& function, const MixedInstance& instance, const ir::OpTable& ops,
                  const Fp8Reductions& how)
      : function_(function),
        instance_(instance),
        how_(how),
        builder_(function.name, ops),
        map_(function.values.size()) {
    for (size_t o = 0; o < function.ops.size(); ++o) note(o);
  }

  bool changes() const { return reduces(forward_) || reduces(backward_); }

  ir::Function run() {
    copy_parameters(builder_, function_, map_);
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      copy_op(builder_, function_, function_.ops[o], map_);
      if (reduces(forward_) && o == forward_.end) reduce(forward_);
      if (reduces(backward_) && o == backward_.end) reduce(backward_);
    }
    return builder_.finish(copies(function_.results, map_));
  }

 private:
  void note(size_t o) {
    const ir::Op& op = function_.ops[o];
    if (op.is_call() || op.operand_count < 2 || op.attributes->find(ir::kFp8) == nullptr ||
        op.attributes->find(kRecompute) != nullptr)
      return;
    const bool backward =
        op.def->gradient_of == ir::GradientOf::product || op.attributes->find(ir::kFp8Gradient) != nullptr;
    if (op.attributes->get_int(ir::kFp8) < 0) return;  // another product of the module has converted the operands
    const ir::Device device = ir::device_of(instance_.values[op.first_result].type);
    Pass& pass              = backward ? backward_ : forward_;
    pass.last[device]       = function_.output(op, 0);
    pass.count[device] += backward ? 1 : 2;
    pass.end = o;
  }

  bool reduces(const Pass& pass) const { return static_cast<int>(pass.last.size()) * how_.replicas > 1; }

  void reduce(const Pass& pass) {
    std::vector<ValueId> maxima;
    for (const auto& [device, result] : pass.last)
      maxima.push_back(builder_.op("Fp8Maxima", {map_(result)}, {{"count", pass.count.begin()->second}}));
    ir::Attributes attributes = maxima.size() > 1 ? ir::of_written(how_.written) : ir::Attributes();
    if (how_.replicas > 1) attributes.set(std::string(ir::kReplicas), int64_t{how_.replicas});
    const size_t devices = maxima.size();
    builder_.emit("MPIAllreduceMax", std::move(maxima), std::move(attributes), devices);
  }

  const ir::Function& function_;
  const MixedInstance& instance_;
  const Fp8Reductions& how_;
  ir::FunctionBuilder builder_;
  ValueMap map_;
  Pass forward_, backward_;
};

}  // namespace

ir::Module with_fp8_reductions(const ir::Module& module, const ir::OpTable& ops, const Fp8Reductions& how) {
  const interpret::MixedInterpretation interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  const auto instances                                = instance_by_function(module, interpretation);
  ir::Module result;
  result.source = module.source;
  for (size_t f = 0; f < module.functions.size(); ++f) {
    const ir::Function& function = module.functions[f];
    std::optional<ReductionWriter> writer;
    if (instances[f] != nullptr) writer.emplace(function, *instances[f], ops, how);
    result.functions.push_back(writer && writer->changes() ? writer->run() : function);
  }
  ir::verify(result);
  return result;
}

}  // namespace foreflow::transform
