#include "foreflow/scenario/stage_demand.h"

#include <algorithm>
#include <limits>

#include "foreflow/lower/pointwise.h"
#include "foreflow/ops/table.h"
#include "foreflow/scenario/strategy_key.h"
#include "foreflow/transform/split_data.h"
#include "scenario/demand/demand_ops.h"
#include "scenario/distribution/before_pipeline.h"
#include "scenario/distribution/stage_prices.h"
#include "scenario/distribution/stages.h"

namespace foreflow::scenario {
namespace {

// The most ops that are kept in all models together, which take about twenty megabytes; one model is always kept.
// Requests come in the order of their keys, so more of them seldom help.
constexpr size_t kMostOps = 12'000;
// In all sources, likewise: the program of one with whole backward passes too.
constexpr size_t kMostSourceOps = 160'000;

// The keys on which the program of a group depends.
Json source_key(const Strategy& strategy) {
  Json key = Json::object();
  for (const StrategyKeyDef& row : strategy_keys()) {
    if (row.of_one_replica) key.set(row.name, row.write(strategy));
  }
  return key.set("copies_attention", strategy.copies_attention()).set("batch", strategy.global_batch);
}

bool is_known(const Scenario& scenario, const Sequential& sequential) {
  using Kind                            = transform::Recompute::Kind;
  const Strategy& strategy              = scenario.strategy;
  const transform::Recompute& recompute = strategy.recompute;
  const bool of_stages = recompute.kind == Kind::optimal || (recompute.kind == Kind::blocks && recompute.blocks > 1);
  // A pipeline of one microbatch is cut by the times of the whole batch.
  const bool whole = strategy.microbatches == 1 && strategy.pp > 1;
  return scenario.workload.trains() && !sequential.placed && !of_stages && !whole && strategy.stage_ends.empty() &&
         !strategy.has_unequal_stages();
}

StageMessage message_of(const transform::StageModel::Message& message, const Scenario& scenario) {
  const std::vector<const ir::Array*> known(message.inputs.size(), nullptr);
  const cost::Application application{
      {*message.op->def, *message.op->attributes, message.inputs, known, message.op->result_count}, message.outputs};
  StageMessage made{.product        = message.product,
                    .is_exact       = message.is_exact,
                    .lengths        = message.lengths,
                    .may_run_beside = message.may_run_beside,
                    .is_once        = message.is_once,
                    .gathered       = message.gathered,
                    .chunks         = message.chunks};
  const auto ranks = static_cast<int>(std::max(message.inputs.size(), message.outputs.size()));
  if (may_hide(*message.op) || ranks < 2) return made;
  made.formula = cost::time_of(scenario.cost.communication(application, ranks).anywhere);
  if (made.formula) {
    made.ranks = ranks;
    return made;
  }
  made.network = network_message(*message.op, message.inputs, message.outputs, scenario);
  made.ranks   = made.network ? static_cast<int>(made.network->ranks.size()) : 0;
  return made;
}

// The scenario without a pipeline.
Scenario with_one_stage(const Scenario& scenario) {
  Scenario one           = scenario;
  Strategy& strategy     = one.strategy;
  strategy.pp            = 1;
  strategy.schedule      = &schedule::schedules().get("1f1b", "schedule");
  strategy.schedule_size = {.devices = 1, .microbatches = strategy.microbatches, .chunks = 1};
  strategy.shares        = {};
  return one;
}

}  // namespace

std::string StageDemands::key(const Strategy& strategy) {
  const bool splits = strategy.schedule->splits_backward || strategy.delay_weight_gradients;
  Json key          = source_key(strategy).set("splits", splits);
  key.set("parts", int64_t{strategy.dp} * strategy.microbatches).set("sharing", strategy.replicas_sharing());
  return key.dump_compact();
}

bool StageDemands::splits(const Strategy& strategy) {
  const schedule::Size& size = strategy.schedule_size;
  const bool delays          = strategy.delay_weight_gradients;
  const auto [found, fresh] =
      splits_.try_emplace({strategy.schedule, size.devices, size.microbatches, size.chunks, delays});
  if (fresh) {
    found->second =
        transform::splits_backward({.schedule = strategy.schedule, .size = size, .delay_weight_gradients = delays});
  }
  return found->second;
}

std::optional<StageDemand> StageDemands::of(const Scenario& scenario, const Sequential& sequential,
                                            const platform::Platform& platform) {
  if (!is_uniform(platform) || !is_known(scenario, sequential)) return std::nullopt;
  const platform::Device& device = platform.devices().kinds().front();
  try {
    Model* const found = model(model_key(scenario, device), scenario, sequential, device);
    return found == nullptr ? std::nullopt : std::optional(cut(*found, scenario, sequential, platform));
  } catch (const Error&) {  // predicting the strategy will say why
    return std::nullopt;
  }
}

std::optional<StageDemand> StageDemands::uncut(const Scenario& scenario, const Sequential& sequential,
                                               const platform::Platform& platform) {
  if (!is_uniform(platform) || !is_known(scenario, sequential)) return std::nullopt;
  const platform::Device& device = platform.devices().kinds().front();
  const std::string key          = model_key(scenario, device);
  const auto [known, fresh]      = uncut_.try_emplace(key);
  std::optional<Uncut>& uncut    = known->second;
  if (fresh) {
    try {
      if (Model* const found = model(key, scenario, sequential, device); found != nullptr) {
        const StageDemand demand = cut(*found, with_one_stage(scenario), sequential, platform);
        uncut                    = Uncut{demand.stages, demand.messages};
        for (transform::StageNeed& need : uncut->stages) need.trained.clear();
      }
    } catch (const Error&) {  // likewise
      return std::nullopt;
    }
  }
  return uncut ? std::optional(StageDemand{uncut->stages, uncut->messages}) : std::nullopt;
}

StageDemand StageDemands::cut(Model& model, const Scenario& scenario, const Sequential& sequential,
                              const platform::Platform& platform) {
  transform::Pipeline wanted = pipeline_of(sequential.module, sequential, scenario, platform, 0, model.written);
  const double neighbour     = seconds_per_byte_in_group(scenario, platform);
  const auto [number, fresh] = model.prices.try_emplace({neighbour, accumulates(scenario)});
  if (fresh) number->second = model.stages.add_prices(wanted.prices);
  return {model.stages.needs(wanted, number->second), model.messages};
}

std::string StageDemands::model_key(const Scenario& scenario, const platform::Device& device) {
  const auto same  = std::find_if(devices_.begin(), devices_.end(),
                                  [&](const auto& known) { return platform::same_speed(known, device); });
  const auto speed = same - devices_.begin();
  if (same == devices_.end()) devices_.push_back(device);
  return std::to_string(speed) + key(scenario.strategy) + (splits(scenario.strategy) ? " split" : "");
}

StageDemands::Model* StageDemands::model(const std::string& key, const Scenario& scenario, const Sequential& sequential,
                                         const platform::Device& device) {
  const auto found = std::find_if(models_.begin(), models_.end(), [&](const Model& model) { return model.key == key; });
  if (found != models_.end()) {
    models_.splice(models_.begin(), models_, found);
    return &models_.front();
  }
  if (std::find(not_.begin(), not_.end(), key) != not_.end()) return nullptr;
  if (!make(key, scenario, sequential, device)) {
    not_.push_back(key);
    return nullptr;
  }
  size_t ops = 0;
  for (auto at = models_.begin(); at != models_.end();) {
    ops += at->ops;
    at = ops > kMostOps && at != models_.begin() ? models_.erase(at) : std::next(at);
  }
  return &models_.front();
}

const StageDemands::Source& StageDemands::source(const Scenario& scenario, const Sequential& sequential, bool split) {
  const std::string key = source_key(scenario.strategy).dump_compact() + (split ? " split" : "");
  const auto found =
      std::find_if(sources_.begin(), sources_.end(), [&](const Source& source) { return source.key == key; });
  if (found != sources_.end()) {
    sources_.splice(sources_.begin(), sources_, found);
    return sources_.front();
  }
  if (split) {
    const Source whole = source(scenario, sequential, false);
    sources_.push_front(
        {key, std::make_shared<const ir::Module>(transform::with_split_backward(*whole.module, ops::table())),
         whole.written});
  } else {
    ReplicaProgram made =
        before_pipeline(sequential, scenario, {.shards = shards_before_pipeline(scenario.strategy)}).value();
    sources_.push_front({key, std::make_shared<const ir::Module>(std::move(made.module)), made.written});
  }
  size_t kept = 0;
  for (auto at = sources_.begin(); at != sources_.end();) {
    kept += at->module->entry().ops.size();
    at = kept > kMostSourceOps && at != sources_.begin() ? sources_.erase(at) : std::next(at);
  }
  return sources_.front();
}

bool StageDemands::make(const std::string& key, const Scenario& scenario, const Sequential& sequential,
                        const platform::Device& device) {
  try {
    const Source& source     = this->source(scenario, sequential, splits(scenario.strategy));
    const Strategy& strategy = scenario.strategy;
    const int parts          = strategy.microbatches * (strategy.dp / strategy.replicas_sharing());
    transform::StageModel::Price price;
    price.alone = [&](const ir::OpCall& call, std::span<const ir::Type> outputs) {
      return scenario.cost.compute({call, outputs}, device).time;
    };
    if (strategy.fuses) {
      price.joined = [&](const ir::OpCall& call, std::span<const ir::Type> outputs) {
        const auto joined = lower::joined_at_best({call, outputs});
        return joined ? scenario.cost.compute(*joined, device).time : Seconds(std::numeric_limits<double>::infinity());
      };
    }
    transform::StageModel stages(source.module, ops::table(), splits(strategy), parts, source.written, price);
    std::vector<StageMessage> messages;
    for (const auto& message : stages.messages()) messages.push_back(message_of(message, scenario));
    models_.push_front(
        {key, source.module->entry().ops.size(), source.written, std::move(stages), std::move(messages)});
    return true;
  } catch (const Error&) {  // predicting the strategy will say why
    return false;
  }
}

}  // namespace foreflow::scenario
