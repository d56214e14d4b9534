#include "scenario/distribution/program_keys.h"

#include "foreflow/scenario/strategy_key.h"
#include "foreflow/schedule/schedule.h"

namespace foreflow::scenario {
namespace {

Json placement_key(const Placement& placement) {
  Json key = Json::array(), devices = Json::array(), order = Json::array();
  for (const std::string& device : placement.devices) devices.push(device);
  for (const Dimension dimension : placement.order) order.push(static_cast<int64_t>(dimension));
  key.push(placement.policy == nullptr ? "" : std::string(placement.policy->name));
  key.push(std::move(devices));
  key.push(std::move(order));
  key.push(std::to_string(placement.seed));
  return key;
}

// The part that ZeRO leaves on a device.
Json sharding_key(const Strategy& strategy) {
  Json key = Json::array();
  key.push(strategy.zero);
  if (strategy.zero < 3) return key;  // no weights are gathered
  key.push(strategy.bucket.value());
  key.push(strategy.by_block);
  return key;
}

// Returns true if stages are cut so that they fit in memory, of which ZeRO leaves more.
bool is_cut_by_memory(const Strategy& strategy) {
  return strategy.partition == transform::StagePartition::balanced &&
         schedule::stages(strategy.schedule->mapping, strategy.schedule_size) > 1;
}

}  // namespace

bool has_program_keys(const Strategy& strategy) {
  return strategy.recompute.kind != transform::Recompute::Kind::optimal && strategy.stage_ends.empty();
}

std::string unpipelined_key(const Strategy& strategy, const ir::WrittenDevices& written) {
  Json key = Json::object();
  for (const StrategyKeyDef& row : strategy_keys()) {
    if (row.of_one_replica) key.set(row.name, row.write(strategy));
  }
  // Segments of blocks do not cross from one stage into the next.
  if (strategy.recompute.kind == transform::Recompute::Kind::blocks)
    key.set("stages", schedule::stages(strategy.schedule->mapping, strategy.schedule_size));
  key.set("copies_attention", strategy.copies_attention());
  key.set("batch", strategy.global_batch).set("shards", int64_t{written.shards});
  return key.set("ranks", int64_t{written.ranks}).dump_compact();
}

std::string pipelined_key(const Strategy& strategy, const Placement& placement, int run,
                          const ir::WrittenDevices& written) {
  Json key = Json::object();
  for (const StrategyKeyDef& row : strategy_keys()) {
    if (!row.of_replicas && row.write != nullptr) key.set(row.name, row.write(strategy));
  }
  if (is_cut_by_memory(strategy)) key.set("sharded", sharding_key(strategy));
  key.set("placement", placement_key(placement)).set("run", run);
  return key.set("two", int64_t{written.shards}).set("two_ranks", int64_t{written.ranks}).dump_compact();
}

}  // namespace foreflow::scenario
