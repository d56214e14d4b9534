#include "search/bounds/bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>

#include "foreflow/base/memory.h"
#include "foreflow/base/process.h"
#include "foreflow/scenario/strategy_key.h"
#include "foreflow/schedule/schedule.h"
#include "search/bounds/replica_exchange.h"

namespace foreflow::search {
namespace {

using scenario::Demand;
using scenario::Scenario;

// True when what is recomputed depends on the memory of each stage, so that it is unknown before there are stages.
bool adapts(const scenario::Strategy& strategy) {
  return strategy.recompute.kind == transform::Recompute::Kind::optimal;
}

// The samples of one microbatch; nothing if they cannot be divided, which is refused when the program is made.
std::optional<int64_t> microbatch_of(const ReadPoint& point) {
  const scenario::Strategy& strategy = point.scenario->strategy;
  const int64_t parts                = int64_t{strategy.dp} * strategy.microbatches;
  return point.samples() % parts == 0 ? std::optional(point.samples() / parts) : std::nullopt;
}

// The strategy of the family of `scenario`: one unpipelined replica that processes the whole `batch`, together with the
// replicas that share its experts.
Json family_strategy(const Scenario& scenario, int64_t batch) {
  scenario::Strategy one = scenario.strategy;
  if (adapts(one)) one.recompute = {};
  // No segment of `block(n)` crosses from one stage into the next, so it may have fewer blocks. It has at least one, so
  // what a segment of one block has in memory bounds it; each block is repeated once either way.
  if (schedule::stages(one.schedule->mapping, one.schedule_size) > 1) one.recompute.blocks = 1;
  one.sequence_first = false;  // it adds copies, but not for every microbatch size: the bound must hold without them
  Json strategy      = Json::object();
  for (const scenario::StrategyKeyDef& key : scenario::strategy_keys()) {
    if (key.of_one_replica) strategy.set(key.name, key.write(one));
  }
  const int64_t sharing = scenario.strategy.replicas_sharing();
  return strategy.set("dp", sharing).set("global_batch", sharing * batch);
}

// Returns true if the demand of one replica bounds the point. There is no bound where stages are sharded in different
// ways.
bool has_family(const ReadPoint& point) {
  return microbatch_of(point).has_value() && !point.scenario->strategy.has_unequal_stages();
}

// The scenario whose demand bounds the family. It has all that the framework sets for `scenario`. The framework itself
// is left out, or it would decide the keys that the family leaves out, such as `overlap_tensor`.
Json family_of(const Scenario& scenario, int64_t batch) {
  Json family = Json::object();
  for (const auto& [name, part] : *scenario.source.if_object()) {
    if (name != "framework") family.set(name, part);
  }
  return family.set("strategy", family_strategy(scenario, batch)).set("placement", Json::object());
}

// The workload and the costs are part of names because a framework may change them where a degree of parallelism is
// above 1.
std::string workload_of(const Scenario& scenario) { return part_text(scenario, "workload"); }

std::string name_of(const ReadPoint& point, int64_t batch) {
  return std::to_string(point.cluster->hardware) + family_strategy(*point.scenario, batch).dump_compact() +
         workload_of(*point.scenario) + part_text(*point.scenario, "cost");
}

// The largest of `batches` that is a multiple of `batch`, so that one demand serves several batches.
int64_t common_batch(const std::set<int64_t>& batches, int64_t batch) {
  for (auto larger = batches.rbegin(); larger != batches.rend(); ++larger) {
    if (*larger % batch == 0) return *larger;
  }
  return batch;
}

using Programs = std::map<std::string, std::optional<scenario::Sequential>>;  // by scenario::build_key

std::optional<Scenario> read_family(const Json& source, const std::string& file) {
  try {
    return scenario::load(source, file);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Adds the program of the scenario; nothing when it cannot be built.
void add_program(const Scenario& scenario, Programs& programs) {
  const auto [found, fresh] = programs.try_emplace(scenario::build_key(scenario));
  if (!fresh) return;
  try {
    if (auto built = scenario::try_build(scenario)) found->second = *std::move(built);
  } catch (const Error&) {
    return;
  }
}

// The demand as text; empty when the program cannot be built. Predicting its points then gives the reason.
std::string demand_text(const Scenario& scenario, const Programs& programs, const platform::Platform& platform) {
  const auto& sequential = programs.at(scenario::build_key(scenario));
  if (!sequential) return "";
  try {
    return to_json(scenario::demand_of(scenario, *sequential, platform)).dump_compact();
  } catch (const Error&) {
    return "";
  } catch (const std::bad_alloc&) {
    throw MemoryError(
        fmt::format("a bound of strategies for a program of {} ops needs more of it than there is here; "
                    "a model of fewer layers needs less",
                    sequential->module.entry().ops.size()));
  }
}

class Bounder {
 public:
  Bounder(const ReadPoint& point, const std::vector<scenario::Placement>& placements, const Demand& demand,
          Seconds microbatch, GroupShapes& shapes, InFlightTable& in_flight)
      : scenario_(*point.scenario),
        demand_(demand),
        shapes_(shapes),
        in_flight_(in_flight),
        where_(shapes.arrangement(scenario_, placements)),
        strategy_(scenario_.strategy),
        batch_(point.samples()),
        microbatch_(microbatch_of(point).value()),
        part_(demand.parts.at(microbatch_)),
        training_(scenario_.workload.trains()),
        disturbed_(point.is_disturbed()),
        sharded_(strategy_.zero > 0),
        replicas_(strategy_.dp / static_cast<int>(strategy_.replicas_sharing())),
        stage_(strategy_.devices() / strategy_.pp / replicas_),
        known_(is_one_part() ? Seconds(0) : microbatch) {}

  Bound bound() { return {kRounding * time(), kRounding * memory()}; }

 private:
  // True when each device has one stage, all microbatches go in one direction, and backwards are not split.
  bool plain() const {
    const schedule::ScheduleDef& schedule = *strategy_.schedule;
    return schedule.chunks == 1 && schedule.mapping == schedule::StageMapping::looped && !schedule.splits_backward &&
           !strategy_.delay_weight_gradients;
  }

  bool is_one_part() const { return strategy_.pp == 1 && strategy_.microbatches == 1 && replicas_ == 1; }

  bool splits_backward() const { return strategy_.schedule->splits_backward || strategy_.delay_weight_gradients; }

  // Lower bound of the time of one microbatch, summed over all stages: computes of one device, and communication that
  // it waits for. Sums that chunked tensor parallelism may hide are on a stream of their own.
  Seconds microbatch() {
    if (strategy_.tensor_chunks == 1) return std::max(part_.compute + part_.messages + network(part_.network), known_);
    Seconds own = part_.compute, beside;
    for (const scenario::Message& message : part_.network) {
      const bool hides   = overlaps_products(message.kind, message.ranks.size(), strategy_);
      const Seconds time = hides ? in_chunks(message) : shapes_.alone(where_, message, stage_);
      (hides ? beside : own) += static_cast<double>(message.count) * time;
    }
    return std::max({own, beside, known_});
  }

  // The least time of a message whose parts go round beside products. The messages of a ring take the place of what a
  // library would do, which may be slower than they are.
  Seconds in_chunks(scenario::Message message) {
    const Seconds whole = shapes_.alone(where_, message, stage_);
    message.algorithm   = &collective::default_algorithm(message.kind);
    message.measured.clear();
    return std::min(whole, shapes_.alone(where_, message, stage_));
  }

  Seconds network(const std::vector<scenario::Message>& messages) {
    Seconds all;
    for (const scenario::Message& message : messages)
      all += static_cast<double>(message.count) * shapes_.alone(where_, message, stage_);
    return all;
  }

  // Lower bound of the all-reduce of gradients: all of them in a single message, which is never slower than several.
  Seconds gradients() {
    if (strategy_.overlap_gradients) return Seconds(0);
    const Bytes summed = strategy_.sums_once() ? demand_.of_copies.gradients : demand_.gradients;
    return ReplicaExchange(scenario_, shapes_, where_).all_reduce(summed);
  }

  // Lower bound of the work once per iteration, summed over all stages.
  Seconds updates() {
    if (sharded_) return Seconds(0);
    Seconds all = gradients();
    if (strategy_.offload) return all;
    // If gradients are summed in another type, sums of copies are not known among the others.
    all += demand_.once;
    if (!strategy_.sums_once() || !strategy_.reduce_dtype) all += network(demand_.sums);
    if (!strategy_.sums_once()) all += demand_.of_copies.time + network(demand_.of_copies.sums);
    return all;
  }

  // Lower bound of a pipeline of P stages for K microbatches. `one` = C is the time of a microbatch over all stages,
  // and w(s), which the partition decides, is its part in stage s; the w(s) add up to C.
  //   1. Training: the device of stage s is busy for K w(s). Before its first task and after its last one a microbatch
  //      passes through stages 0 .. s-1, so T >= w(0) + ... + w(s-1) + K w(s) for every s. The partition that minimises
  //      the largest of these has T = C / (1 - (1 - 1/K)^P).
  //   2. Inference: before its first and after its last microbatch one passes through all other stages, so T >= C + (K
  //      - 1) w(s) for every s. Equal stages minimise this: T = C (K + P - 1) / P.
  //   3. Other schedules: the mean load of a device, T >= K C / P. Where backward passes are whole, a microbatch passes
  //      through all stages, one after the other: T >= C.
  Seconds pipeline(Seconds one) const {
    const double stages = strategy_.pp, count = strategy_.microbatches;
    if (!plain()) return std::max(count / stages, splits_backward() ? 0.0 : 1.0) * one;
    if (!training_) return ((count + stages - 1) / stages) * one;
    return one / (1 - std::pow(1 - 1 / count, stages));
  }

  Seconds time() {
    if (disturbed_) return Seconds(0);
    const double stages = strategy_.pp, count = strategy_.microbatches;
    const Seconds one   = microbatch();
    const Seconds whole = is_one_part() ? demand_.whole : Seconds(0);
    return std::max(pipeline(one), (count * one + updates() + whole) / stages);
  }

  // Lower bound of the peak of the device that needs most. Weights, inputs and activations are averaged over the
  // stages, since some device has at least the average. The working set of a single op, and the result of the program,
  // are on one device.
  Bytes memory() const {
    const double share  = static_cast<double>(batch_) / strategy_.dp / static_cast<double>(demand_.samples);
    const double part   = static_cast<double>(microbatch_) / static_cast<double>(demand_.samples);
    const double stages = strategy_.pp;
    const Bytes weights = this->weights();
    const Bytes result  = share * demand_.result / (plain() ? 1 : 2);
    // Products that are cut into chunks may have only parts of their operands and results in memory.
    const bool uncut     = strategy_.tp == 1 || strategy_.tensor_chunks == 1;
    const bool kept      = uncut && !sharded_ && !strategy_.offload && !adapts(strategy_);
    const Bytes alive    = kept ? part * demand_.activations : Bytes(0);
    const Bytes together = weights + share * demand_.data;
    const Bytes working  = adapts(strategy_) || !uncut ? Bytes(0) : part * demand_.backward_set;
    const Bytes of_op    = uncut ? part_.working_set : Bytes(0);
    if (strategy_.pp == 1) return std::max(together, weights + std::max({result, alive, held(part), working}));
    const Bytes average = std::max(together, training_ ? weights + alive : weights) / stages;
    return std::max({average, result, of_op, working, in_flight(part)});
  }

  // The weights of all stages together, with the states of the optimizer.
  Bytes weights() const {
    const Bytes model = demand_.weights - demand_.states;
    const int ways    = strategy_.most_copies();
    return model / (strategy_.zero == 3 ? ways : 1) + demand_.states / (sharded_ ? ways : 1);
  }

  // Returns the bytes that a microbatch leaves for its backward pass, in all stages together. The segments of
  // `block(n)` depend on the stages.
  Bytes held(double part) const {
    const bool depends = adapts(strategy_) || strategy_.recompute.blocks > 1;
    return strategy_.offload || depends ? Bytes(0) : part * demand_.held;
  }

  // Lower bound m of the peak of the device that needs most. Device d has weights w(d), which add up to W, and keeps
  // h(d) for each microbatch in flight, which adds up to H. With n(d) microbatches in flight it needs
  //   w(d) + n(d) h(d) <= m.
  // Divided by n(d) and added up over all devices, this is
  //   W / max n(d) + H <= m * sum of 1 / n(d).
  Bytes in_flight(double part) const {
    if (!training_) return Bytes(0);
    const InFlight& counts = in_flight_.of(*strategy_.schedule, strategy_.schedule_size);
    if (!counts.all) return Bytes(0);
    return counts.pipes * (weights() / counts.most + held(part)) / counts.inverse;
  }

  const Scenario& scenario_;
  const Demand& demand_;
  GroupShapes& shapes_;
  InFlightTable& in_flight_;
  const Arrangement& where_;
  const scenario::Strategy& strategy_;
  const int64_t batch_, microbatch_;  // samples
  const Demand::Part& part_;
  const bool training_, disturbed_, sharded_;
  const int replicas_;  // number of replicas, where those that share experts count as one
  const int stage_;     // number of devices of one stage of such a replica; they have consecutive ranks
  // A lower bound of the time of one microbatch, or 0. It includes the computes of Demand::whole where there is only
  // one part, to which `time` adds them, so it is not used there.
  const Seconds known_;
};

}  // namespace

bool overlaps_products(collective::Kind kind, size_t ranks, const scenario::Strategy& strategy) {
  using enum collective::Kind;
  return strategy.tensor_chunks > 1 && (kind == all_reduce || kind == reduce_scatter || kind == all_gather) &&
         ranks == static_cast<size_t>(strategy.tp);
}

void Bounds::learn(const std::vector<Unknown>& families) {
  Programs programs;  // forked later, children share them
  std::vector<std::optional<Scenario>> scenarios;
  for (const Unknown& family : families) {
    scenarios.push_back(read_family(family.source, family.cluster->base.file));
    if (scenarios.back()) add_program(*scenarios.back(), programs);
  }
  const auto texts = map_in_children(families.size(), jobs_, [&](size_t i) {
    const bool stopped = stop_ && stop_();
    return scenarios[i] && !stopped ? demand_text(*scenarios[i], programs, *families[i].cluster->platform)
                                    : std::string();
  });
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string& file = families[i].cluster->base.file;
    Family& family          = families_[families[i].name];
    if (!texts[i].empty()) family = scenario::read_demand(JsonView(parse_json(texts[i], file), file));
  }
}

std::vector<Bound> Bounds::of(const std::vector<const ReadPoint*>& points) {
  for (const ReadPoint* point : points) batches_.insert(point->samples());
  std::vector<Unknown> unknown;
  for (const ReadPoint* point : points) {
    if (!has_family(*point)) continue;
    const int64_t common = common_batch(batches_, point->samples());
    std::string name     = name_of(*point, common);
    if (families_.try_emplace(name).second)
      unknown.push_back({std::move(name), family_of(*point->scenario, common), point->cluster});
  }
  if (!unknown.empty()) learn(unknown);
  std::vector<Bound> bounds;
  for (const ReadPoint* point : points) bounds.push_back(of(*point));
  return bounds;
}

std::string Bounds::family(const ReadPoint& point) const {
  return !has_family(point) ? "" : name_of(point, common_batch(batches_, point.samples()));
}

Bound Bounds::of(const ReadPoint& point, const std::vector<scenario::Placement>& placements, Seconds microbatch) {
  const auto family = families_.find(this->family(point));
  if (family == families_.end() || !family->second) return {};
  return Bounder(point, placements, *family->second, microbatch, shapes_.on(point.platform()), in_flight_).bound();
}

}  // namespace foreflow::search
