#include "transform/blocks/attention_cores.h"

#include <algorithm>

#include "foreflow/ir/uses.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// Looks for the two products around a Softmax.
class CoreFinder {
 public:
  explicit CoreFinder(const ir::Module& module)
      : function_(module.entry()),
        forward_(forward_ops(function_)),
        makers_(ir::makers_of(function_)),
        constant_(constant_values(function_)),
        readers_(function_) {}

  std::vector<Segment> run() {
    std::vector<Segment> cores;
    for (size_t o = 0; o < forward_; ++o) {
      const ir::Op& op = function_.ops[o];
      if (op.is_call() || op.def->softmax != ir::Softmax::plain) continue;
      Segment core{o};
      if (!above(function_.inputs(op)[0], core, 0) || !below(function_.output(op, 0), core, 0)) continue;
      std::sort(core.begin(), core.end());
      cores.push_back(std::move(core));
    }
    return cores;
  }

 private:
  static constexpr int kFarthest = 12;  // ops between the Softmax and a product

  bool is_weight(ValueId id) const {
    return ir::index(id) < function_.parameters.size() &&
           function_.parameters[ir::index(id)] == ir::ParameterRole::weight;
  }

  // Returns true if the op is a product of two values that both depend on data.
  bool is_product(const ir::Op& op) const {
    const auto inputs = function_.inputs(op);
    return op.def->product != ir::Product::none && inputs.size() == 2 &&
           std::none_of(inputs.begin(), inputs.end(),
                        [&](ValueId id) { return is_weight(id) || constant_[ir::index(id)]; });
  }

  static bool passes(const ir::Op& op) { return op.def->role == ir::Role::view || op.def->adjusts_scores; }

  bool above(ValueId id, Segment& core, int far) const {
    if (id == ValueId::none || makers_[ir::index(id)] < 0 || constant_[ir::index(id)] || far > kFarthest) return false;
    const auto o     = static_cast<size_t>(makers_[ir::index(id)]);
    const ir::Op& op = function_.ops[o];
    if (op.is_call()) return false;
    core.push_back(o);
    if (is_product(op)) return true;
    if (passes(op)) {
      for (const ValueId input : function_.inputs(op)) {
        if (above(input, core, far + 1)) return true;
      }
    }
    core.pop_back();
    return false;
  }

  bool below(ValueId id, Segment& core, int far) const {
    if (far > kFarthest) return false;
    for (const int32_t reader : readers_[ir::index(id)]) {
      const auto o     = static_cast<size_t>(reader);
      const ir::Op& op = function_.ops[o];
      if (o >= forward_) break;
      if (op.is_call()) continue;
      core.push_back(o);
      if (is_product(op) || (passes(op) && below(function_.output(op, 0), core, far + 1))) return true;
      core.pop_back();
    }
    return false;
  }

  const ir::Function& function_;
  const size_t forward_;
  const std::vector<int32_t> makers_;
  const std::vector<bool> constant_;
  const ir::Readers readers_;
};

}  // namespace

std::vector<Segment> attention_cores(const ir::Module& module) { return CoreFinder(module).run(); }

}  // namespace foreflow::transform
