// Finds arithmetic that tensor parallelism leaves whole, so that each shard repeats it.
#include <fmt/core.h>

#include <algorithm>

#include "foreflow/base/text.h"
#include "foreflow/interpret/flops.h"
#include "foreflow/ir/text.h"
#include "foreflow/transform/simplify.h"
#include "foreflow/transform/tensor.h"
#include "transform/rewrite/op_types.h"
#include "transform/tensor/shard_plan.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

bool works_on_parts(const Decision& decision) {
  const auto is_part = [](const Layout& layout) { return !layout.is_whole(); };
  return std::any_of(decision.inputs.begin(), decision.inputs.end(), is_part) ||
         std::any_of(decision.outputs.begin(), decision.outputs.end(), is_part);
}

class WholeWork {
 public:
  WholeWork(const ir::Module& module, int ways, const Sharding& sharding)
      : module_(module),
        function_(module.entry()),
        interpretation_(interpret::interpret_mixed(module, module.functions.size() - 1)),
        ways_(ways),
        plan_(plan_shards(module, function_, interpretation_.entry().values, ways, sharding)) {
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      const ir::Op& op  = function_.ops[o];
      const Flops flops = interpret::flops_of(function_, op, values());
      all_ += flops;
      if (flops <= Flops(0) || works_on_parts(plan_.decisions[o])) continue;
      Kind& kind = kinds_[op.def->name];
      kind.flops += flops;
      kind.ops.push_back(o);
      whole_ += flops;
    }
  }

  std::string remark() const {
    constexpr double kMost = 0.5;
    if (whole_ <= kMost * all_) return "";
    const std::vector<const Kind*> kinds = by_flops();
    const std::string why                = reason(*kinds.front());
    return fmt::format("{:.0f} % of the arithmetic is not split, and each of {} ranks computes all of it: {}{}",
                       100 * (whole_ / all_), ways_, names(kinds), why.empty() ? "" : "; " + why);
  }

 private:
  // The ops of one row that stay whole.
  struct Kind {
    Flops flops;
    std::vector<size_t> ops;
  };

  const interpret::Values<interpret::Mixed>& values() const { return interpretation_.entry().values; }

  // The kinds with the most arithmetic first.
  std::vector<const Kind*> by_flops() const {
    std::vector<const Kind*> kinds;
    for (const auto& [name, kind] : kinds_) kinds.push_back(&kind);
    std::stable_sort(kinds.begin(), kinds.end(), [](const Kind* a, const Kind* b) { return a->flops > b->flops; });
    return kinds;
  }

  // "128 x MatMulNBits, 32 x GroupQueryAttention", without those that matter little.
  std::string names(const std::vector<const Kind*>& kinds) const {
    constexpr double kLeast = 0.05;
    std::vector<std::string> shown;
    for (const Kind* kind : kinds) {
      if (kind->flops >= kLeast * whole_)
        shown.push_back(fmt::format("{} x {}", kind->ops.size(), function_.ops[kind->ops.front()].def->name));
    }
    return join(shown);
  }

  // The first reason that is known for an op of the kind.
  std::string reason(const Kind& kind) const {
    for (const size_t o : kind.ops) {
      if (std::string why = reason(o); !why.empty()) return why;
    }
    return "";
  }

  // Either the op itself needs all of a value, or another one does that a split of its weight would reach, or the
  // degree does not divide the weight.
  std::string reason(size_t o) const {
    if (const auto own = plan_.obstacles.find(o); own != plan_.obstacles.end()) return needs_all(own->second);
    for (const ValueId id : function_.inputs(function_.ops[o])) {
      if (!is_weight(id)) continue;
      const auto kept = plan_.kept_whole.find(static_cast<int32_t>(id));
      if (kept != plan_.kept_whole.end()) return needs_all(kept->second);
      const ir::Dims& dims = values()[ir::index(id)].type.dims;
      if (dims.size() > 1 &&
          std::none_of(dims.begin(), dims.end(), [&](int64_t size) { return size > 0 && size % ways_ == 0; }))
        return fmt::format("{} divides no dimension of {}, {}", ways_, name(id), ir::to_string(dims));
    }
    return "";
  }

  std::string needs_all(const Obstacle& obstacle) const {
    const ir::Op& op = function_.ops[obstacle.op];
    const OpTypes types(function_, op, values());
    const ir::Factors factors = op.def->factors(types.call());
    const bool cuts_groups    = factors.grouped != 0 && factors.blocks % ways_ != 0;
    return ir::describe(module_, function_, op) + " needs all of " + name(obstacle.value) +
           (cuts_groups ? fmt::format(", as {} does not divide its {} heads of keys", ways_, factors.blocks) : "");
  }

  bool is_weight(ValueId id) const {
    return id != ValueId::none && ir::index(id) < function_.parameters.size() &&
           function_.parameters[ir::index(id)] == ir::ParameterRole::weight;
  }

  std::string name(ValueId id) const {
    const std::string& text = function_.value(id).name;
    return "%" + (text.empty() ? "v" + std::to_string(ir::index(id)) : text);
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const interpret::MixedInterpretation interpretation_;
  const int ways_;
  const ShardPlan plan_;
  Flops all_, whole_;
  std::map<std::string_view, Kind> kinds_;  // by the name of the row
};

}  // namespace

std::string remark_on_whole_work(const ir::Module& module, const ir::OpTable& ops, int ways, const Sharding& sharding) {
  if (ways == 1) return "";
  const std::optional<ir::Module> joined = try_join_slices(module, ops);
  return WholeWork(joined ? *joined : module, ways, sharding).remark();
}

}  // namespace foreflow::transform
