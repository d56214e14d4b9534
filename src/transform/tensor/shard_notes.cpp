#include "transform/tensor/shard_notes.h"

#include <fmt/core.h>

#include "foreflow/transform/simplify.h"
#include "transform/tensor/shard_plan.h"
#include "transform/tensor/transformer.h"

namespace foreflow::transform {
namespace {

// Blocks do not matter here: "split 1".
std::string place(const Layout& layout) { return layout.is_split() ? to_string(Layout::split(layout.dim)) : "whole"; }

std::vector<std::string> differences(const ir::Function& function, const ShardPlan& megatron,
                                     const ShardPlan& automatic) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const std::string ours = place(megatron.layouts[i]), other = place(automatic.layouts[i]);
    if (ours != other)
      lines.push_back(fmt::format("%{} is {}; auto leaves it {}", function.values[i].name, ours, other));
  }
  return lines;
}

}  // namespace

std::vector<std::string> shard_notes(const ir::Module& whole, const ir::OpTable& ops, int ways,
                                     const Sharding& sharding) {
  if (sharding.plan.kind != TensorPlan::Kind::megatron) return {};
  const ir::Module module        = join_slices(whole, ops);
  const ir::Function& function   = module.entry();
  const auto interpretation      = interpret::interpret_mixed(module, module.functions.size() - 1);
  const auto& values             = interpretation.entry().values;
  std::vector<std::string> lines = describe(recognise(function, values), function);
  for (std::string& line : lines) line.insert(0, "shard: recognised ");
  Sharding automatic      = sharding;
  automatic.plan          = {};
  constexpr size_t kShown = 8;
  const auto others       = differences(function, plan_shards(module, function, values, ways, sharding),
                                        plan_shards(module, function, values, ways, automatic));
  for (size_t i = 0; i < others.size() && i < kShown; ++i) lines.push_back("shard: " + others[i]);
  if (others.size() > kShown) lines.push_back("shard: and " + std::to_string(others.size() - kShown) + " more weights");
  return lines;
}

}  // namespace foreflow::transform
