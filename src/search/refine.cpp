#include "search/refine.h"

#include <algorithm>

#include "foreflow/schedule/play.h"
#include "search/replica_exchange.h"
#include "search/stage_memory.h"

namespace foreflow::search {
namespace {

using scenario::Scenario;
using scenario::StageDemand;
using transform::StageNeed;

class Composition {
 public:
  Composition(const Scenario& scenario, const StageDemand& demand, const KnownPlan& known, Plays& plays,
              GroupShapes& shapes, const Arrangement& where)
      : scenario_(scenario),
        strategy_(scenario.strategy),
        demand_(demand),
        where_(where),
        exchange_(scenario, shapes, where_),
        known_(known),
        plays_(plays),
        plan_(known.plan),
        shapes_(shapes) {
    const int group = strategy_.devices() / strategy_.pp / exchange_.ways();
    for (const scenario::StageMessage& message : demand.messages) {
      // The mean over the devices of the group: those that are not members do something else.
      const double share = static_cast<double>(message.ranks) / group;
      waits_.push_back(waiting(message, group));
      messages_.push_back(share * waits_.back());
    }
  }

  Bound bound() {
    find_exchanges();
    return {kRounding * time(), kRounding * stage_memory(strategy_, demand_, plan_)};
  }

  // Without all that is exchanged between replicas and done once a step. `where` has all placements, and `strategy` the
  // values that need least memory.
  Bound sketch() const { return {kRounding * least_time(), kRounding * stage_memory(strategy_, demand_, plan_)}; }

  // The time of a microbatch that passes through all stages, forward and backward, one after the other. Gradients of
  // weights are computed beside that. Sums in chunks may be, too.
  Seconds passage() const {
    Seconds all;
    for (const StageNeed& need : demand_.stages) {
      const bool chunks = strategy_.tensor_chunks > 1;
      all += chunks ? need.forward.compute + need.input_grad.compute : task(need.forward) + task(need.input_grad);
    }
    return kRounding * all;
  }

 private:
  void find_exchanges() {
    const bool gathers = strategy_.zero == 3 && strategy_.overlap_gradients;
    for (const StageNeed& need : demand_.stages) {
      exchanges_.push_back(exchange_.of_stage(need, !mirrored()));
      if (gathers) passes_.push_back(exchange_.passes(need, !mirrored(), waits_));
    }
  }

  // The time after which an activation or a gradient is on the device of the next stage at least, whichever stage that
  // is. That of the first replica, as no path through the schedule leaves it.
  Seconds hop() const {
    if (strategy_.pp == 1 || strategy_.has_unequal_stages()) return Seconds(0);
    Bytes least = demand_.stages.front().to_next;
    for (size_t stage = 0; stage + 1 < demand_.stages.size(); ++stage)
      least = std::min({least, demand_.stages[stage].to_next, demand_.stages[stage + 1].to_previous});
    if (strategy_.scatter_gather) least = least / strategy_.tp;
    const int group    = strategy_.devices() / strategy_.pp / exchange_.ways();
    const int last     = (strategy_.pp - 1) * group;
    const auto message = scenario::network_message(scenario_, collective::Kind::send, least, {0, group});
    if (least == Bytes(0) || !message) return Seconds(0);
    Seconds time      = std::min(shapes_.alone(where_, *message, {{0, group}, 1, last}),
                                 shapes_.alone(where_, *message, {{group, 0}, 1, last}));
    const bool around = plan_.size.chunks > 1 && plan_.mapping == schedule::StageMapping::looped;
    if (!around) return time;
    return std::min({time, shapes_.alone(where_, *message, {{0, last}, 1, group}),
                     shapes_.alone(where_, *message, {{last, 0}, 1, group})});
  }

  // The tasks alone.
  Seconds least_time() const {
    schedule::Costs costs{.hop = hop().value()};
    for (const StageNeed& need : demand_.stages) {
      costs.stages.push_back({task(need.forward).value(), task(need.input_grad).value(), task(need.weight_grad).value(),
                              accumulation_of_terms(need).value()});
      // Delayed gradients of weights may fill gaps.
      if (strategy_.delay_weight_gradients) costs.stages.back().weight_grad = costs.stages.back().accumulation = 0;
    }
    double last = 0;
    for (const auto& slots : plays_.of(known_, costs)) {
      if (!slots.empty()) last = std::max(last, slots.back().end);
    }
    return Seconds(last);
  }

  // True where a device's last task completes the gradients of all that it has.
  bool plain() const {
    return plan_.size.chunks == 1 && !strategy_.schedule->splits_backward && !strategy_.delay_weight_gradients;
  }

  Seconds alone(const scenario::StageMessage& message, int group, int parts) const {
    if (!message.network) return parts == 1 ? message.formula.value_or(Seconds(0)) : Seconds(0);
    scenario::Message part = *message.network;
    part.bytes             = part.bytes / parts;
    return shapes_.alone(where_, part, group);
  }

  // How long a device waits for the message, with what chunks take more than the whole product.
  Seconds waiting(const scenario::StageMessage& message, int group) const {
    const Seconds whole = alone(message, group, 1);
    const int chunks    = strategy_.tensor_chunks;
    const auto kind     = message.network ? message.network->kind : collective::Kind::all_reduce;
    if (kind == collective::Kind::all_gather && overlaps_products(kind, message.network->ranks.size(), strategy_))
      return message.may_run_beside ? gathering(message, group, whole) : whole;
    const bool sums =
        !message.network || overlaps_products(message.network->kind, message.network->ranks.size(), strategy_);
    // The bound of a branch is that of its largest number of chunks.
    if (!sums || !message.may_be_cut_by_fewer(chunks)) return whole;
    if (!message.product) return Seconds(0);
    const bool in_chunks = message.is_exact && (!message.may_run_beside || message.is_cut_into_chunks());
    if (!in_chunks) return std::max(Seconds(0), whole - *message.product);
    Seconds least = whole;
    for (int fewer = 2; fewer <= chunks; ++fewer) {
      if (message.may_be_cut(fewer)) least = std::min(least, chunk_by_chunk(message, group, fewer));
    }
    return least;
  }

  // Chunks are computed, and travel, one after the other: the last one travels after all are computed, and all of them
  // after the first is computed.
  Seconds chunk_by_chunk(const scenario::StageMessage& message, int group, int chunks) const {
    const auto number            = static_cast<size_t>(chunks - 2);
    const Seconds one            = number < message.chunks.size() ? message.chunks[number] : *message.product / chunks;
    const Seconds message_of_one = alone(message, group, chunks);
    const Seconds all            = message.network ? chunks * message_of_one : alone(message, group, 1);
    return std::max(chunks * one + message_of_one, one + all) - *message.product;
  }

  // How long products wait for what is gathered beside them, with what parts of them take more than the whole. Parts of
  // the rows go round a ring: the last ones come after all steps, and gradients of weights come after them.
  //
  //   messages   step 1 ....|step 2 ....|
  //   computes   part 1 |    part 2 |    part 3 |gradients of weights |
  Seconds gathering(const scenario::StageMessage& message, int group, Seconds whole) const {
    if (!message.product) return Seconds(0);
    if (!message.gathered) return std::max(Seconds(0), std::min(whole, ring(message, group)) - *message.product);
    const auto& [ways, readers, rows, late] = *message.gathered;
    const Seconds arrived = (ways > 1 ? ring(message, group) : whole) + (ways > 1 ? rows : Seconds(0));
    return std::min(whole, std::max(ways * rows + late - readers, arrived + late - *message.product));
  }

  // All steps of a ring; 0: not known.
  Seconds ring(const scenario::StageMessage& message, int group) const {
    const std::vector<int>& ranks = message.network->ranks;
    const auto step               = scenario::network_message(scenario_, collective::Kind::shift,
                                                              message.network->bytes / static_cast<double>(ranks.size()), ranks);
    return step ? static_cast<double>(ranks.size() - 1) * shapes_.alone(where_, *step, group) : Seconds(0);
  }

  Seconds task(const StageNeed::Task& need) const {
    Seconds all = need.compute;
    for (size_t m = 0; m < need.messages.size(); ++m) all += static_cast<double>(need.messages[m]) * messages_[m];
    return all;
  }

  // What every microbatch but the first takes to add its gradients to a sum of all. With ZeRO 2 and 3 replicas exchange
  // the gradients of each microbatch, but for terms of sums.
  Seconds accumulation(const StageNeed& need) const {
    return strategy_.zero < 2 || mirrored() ? need.accumulation : accumulation_of_terms(need);
  }
  // One sum over contexts and replicas may leave a device a part of each.
  Seconds accumulation_of_terms(const StageNeed& need) const {
    return strategy_.sums_once() ? Seconds(0) : need.accumulation_of_terms;
  }

  // Two pipes add their gradients to each other before they are exchanged, after all microbatches.
  bool mirrored() const { return plan_.pipes() > 1; }

  // With ZeRO, without overlap, tasks wait for the exchange of what is sharded.
  schedule::StageCosts costs(size_t stage) const {
    const StageNeed& need = demand_.stages[stage];
    schedule::StageCosts costs{task(need.forward).value(), task(need.input_grad).value(),
                               task(need.weight_grad).value()};
    costs.accumulation = accumulation(need).value();
    if (!passes_.empty()) {
      const ReplicaExchange::Passes& least = passes_[stage];
      costs.forward                        = std::max(costs.forward, least.forward.value());
      // Where a backward pass is not split, its computes of weight gradients may hide exchanges.
      const Seconds rest = least.whole - Seconds(costs.weight_grad + costs.accumulation);
      costs.input_grad   = std::max(costs.input_grad, std::min(least.input_grad, rest).value());
    }
    if (strategy_.overlap_gradients) return costs;
    const StageExchange& exchange = exchanges_[stage];
    costs.forward += exchange.forward.value();
    costs.input_grad += (exchange.backward + exchange.input_grad).value();
    costs.weight_grad += exchange.weight_grad.value();
    return costs;
  }

  // What a device does when it has done its tasks: the sums over the pipes, and what follows. And what may have been
  // done between the tasks.
  struct Rest {
    Seconds before, sums, after;
  };
  Rest rest(size_t device) const {
    StageNeed all;
    for (int chunk = 0; chunk < plan_.size.chunks; ++chunk) {
      const StageNeed& need = need_of(device, chunk);
      all.weights += need.weights;
      all.gradients += need.gradients + shared_on(device, chunk);
      all.update += need.update;
    }
    using enum collective::Kind;
    Rest rest{};
    const bool waits = !strategy_.overlap_gradients;
    if (mirrored()) rest.sums += exchange_.pair(device, plan_.order.size() - 1 - device, all.gradients);
    if (mirrored() && waits) rest.sums += once(all.gradients);
    if (strategy_.zero == 0 && waits && !mirrored()) rest.after += exchange_.all_reduce(all.gradients);
    if (strategy_.zero == 0 && !strategy_.offload) rest.after += all.update;
    if (strategy_.zero == 1 && waits && !mirrored()) rest.before += exchange_.half(reduce_scatter, all.gradients);
    if (strategy_.zero == 1 || strategy_.zero == 2) rest.after += exchange_.half(all_gather, all.weights);
    return rest;
  }

  size_t stage_of(size_t device, int chunk) const {
    return static_cast<size_t>(plan_.stage_of(static_cast<int>(device), chunk));
  }
  const StageNeed& need_of(size_t device, int chunk) const { return demand_.stages[stage_of(device, chunk)]; }

  // The exchange of gradients that are summed over all microbatches.
  Seconds once(Bytes gradients) const {
    if (strategy_.zero == 0) return exchange_.all_reduce(gradients);
    return exchange_.half(collective::Kind::reduce_scatter, gradients);
  }

  // When the exchanges end that travel beside the tasks, on a stream of their own. Those of gradients wait for the
  // start of the task that makes them: of the last microbatch, where all are summed first. With two pipes, they wait
  // for the last task. Two gathers may travel before the first task starts.
  //
  //   computes    |W 1 ..|W 2 ..|W 3 ..|
  //   exchanges    |gradients 1 ..|gradients 2 ..|gradients 3 ..|
  //
  // No order of exchanges ends before the one in which they can start.
  Seconds beside(size_t device, const std::vector<schedule::Slot>& slots) const {
    if (!strategy_.overlap_gradients) return Seconds(0);
    Seconds gathers, early;
    for (const schedule::Slot& slot : slots) {
      const StageExchange& exchange = exchanges_[stage_of(device, slot.task.chunk)];
      if (slot.task.phase == schedule::Phase::forward) gathers += exchange.forward;
      if (starts_backward(slot)) gathers += exchange.backward;
      early = std::max(early, 2 * exchange.largest_gather);
    }
    const Seconds first = std::max(Seconds(0), Seconds(slots.front().start) - early);
    if (mirrored()) return std::max(Seconds(slots.back().end), first + gathers) + once(gradients_of(device));
    if (strategy_.zero < 2) return summed(device, slots);
    Seconds end = first + gathers;
    for (const schedule::Slot& slot : slots) {
      const StageExchange& exchange = exchanges_[stage_of(device, slot.task.chunk)];
      const Seconds sums            = slot.task.phase == schedule::Phase::backward      ? exchange.whole
                                      : slot.task.phase == schedule::Phase::input_grad  ? exchange.input_grad
                                      : slot.task.phase == schedule::Phase::weight_grad ? exchange.weight_grad
                                                                                        : Seconds(0);
      if (sums > Seconds(0)) end = std::max(end, Seconds(slot.start)) + sums;
    }
    return end;
  }

  static bool starts_backward(const schedule::Slot& slot) {
    return slot.task.phase == schedule::Phase::backward || slot.task.phase == schedule::Phase::input_grad;
  }

  Bytes gradients_of(size_t device) const {
    Bytes gradients;
    for (int chunk = 0; chunk < plan_.size.chunks; ++chunk) gradients += need_of(device, chunk).gradients;
    return gradients;
  }

  // When gradients are exchanged that all microbatches add to: those of a chunk not before its last backward pass.
  Seconds summed(size_t device, const std::vector<schedule::Slot>& slots) const {
    std::vector<std::pair<double, int>> starts;  // of the last backward pass of each chunk
    for (int chunk = 0; chunk < plan_.size.chunks; ++chunk) starts.emplace_back(0, chunk);
    for (const schedule::Slot& slot : slots) {
      if (starts_backward(slot)) starts[static_cast<size_t>(slot.task.chunk)].first = slot.start;
    }
    std::sort(starts.rbegin(), starts.rend());
    Seconds end;
    Bytes later;
    for (const auto& [start, chunk] : starts) {
      later += need_of(device, chunk).gradients;
      end = std::max(end, Seconds(start) + once(later));
    }
    return end;
  }

  // The time of a device's weight gradients that are delayed.
  double delayed(size_t device) const {
    double all = 0;
    if (!strategy_.delay_weight_gradients) return all;
    std::vector<bool> adds(static_cast<size_t>(plan_.size.chunks));
    for (const schedule::Task& task : plan_.order[device]) {
      const bool whole = task.phase == schedule::Phase::backward || task.phase == schedule::Phase::weight_grad;
      if (!whole) continue;
      const schedule::StageCosts costs = this->costs(stage_of(device, task.chunk));
      all += costs.weight_grad + (adds[static_cast<size_t>(task.chunk)] ? costs.accumulation : 0);
      adds[static_cast<size_t>(task.chunk)] = true;
    }
    return all;
  }

  Seconds time() const {
    schedule::Costs costs{.hop = hop().value()};
    for (size_t stage = 0; stage < demand_.stages.size(); ++stage) {
      costs.stages.push_back(this->costs(stage));
      // Delayed gradients of weights may fill gaps.
      if (strategy_.delay_weight_gradients) costs.stages.back().weight_grad = costs.stages.back().accumulation = 0;
    }
    const schedule::Slots& slots = plays_.of(known_, costs);
    Seconds last                 = shared(slots);
    for (size_t device = 0; device < slots.size(); ++device) {
      if (slots[device].empty()) continue;
      double busy = 0;
      for (const schedule::Slot& slot : slots[device]) busy += slot.end - slot.start;
      busy += delayed(device);
      const Rest rest = this->rest(device);
      last            = std::max(last, beside(device, slots[device]) + rest.after);
      // Exchanges between the tasks may fill gaps.
      const Seconds filled(slots[device].front().start + busy + rest.before.value());
      const Seconds end(slots[device].back().end + (plain() ? rest.before.value() : 0));
      last = std::max(last, std::max(filled, end) + rest.sums + rest.after);
    }
    return last;
  }

  // When the gradients of weights that two stages share are exchanged: their devices sum the terms of all microbatches,
  // then the replicas do, and then follows what a device does at the end.
  Seconds shared(const schedule::Slots& slots) const {
    Seconds last;
    if (mirrored()) return last;
    for (size_t device = 0; device < slots.size(); ++device) {
      for (int chunk = 0; chunk < plan_.size.chunks; ++chunk) {
        const size_t stage = stage_of(device, chunk);
        for (const auto& [other, bytes] : demand_.stages[stage].shared) {
          const auto [partner, its_chunk] = place_of(other);
          if (partner == device || bytes == Bytes(0)) continue;
          const Seconds ready = std::max(last_gradient(slots[device], chunk), last_gradient(slots[partner], its_chunk));
          const Seconds summed = ready + exchange_.pair(device, partner, bytes) + once(bytes);
          last                 = std::max(last, strategy_.zero == 0 ? summed : summed + rest(device).after);
        }
      }
    }
    return last;
  }

  // With two pipes: the gradients that the stage of the chunk shares with a later one on the device.
  Bytes shared_on(size_t device, int chunk) const {
    Bytes all;
    for (int later = 0; mirrored() && later < plan_.size.chunks; ++later) {
      const auto& shared = need_of(device, chunk).shared;
      const auto found   = shared.find(stage_of(device, later));
      if (found != shared.end() && stage_of(device, later) > stage_of(device, chunk)) all += found->second;
    }
    return all;
  }

  // The device and the chunk of a virtual stage.
  std::pair<size_t, int> place_of(size_t stage) const {
    for (size_t device = 0; device < plan_.order.size(); ++device) {
      for (int chunk = 0; chunk < plan_.size.chunks; ++chunk) {
        if (stage_of(device, chunk) == stage) return {device, chunk};
      }
    }
    FOREFLOW_CHECK(false, "every stage is on a device");
  }

  // The end of the last task of the chunk that may compute gradients of weights.
  static Seconds last_gradient(const std::vector<schedule::Slot>& slots, int chunk) {
    Seconds end;
    for (const schedule::Slot& slot : slots) {
      if (slot.task.chunk == chunk && slot.task.phase != schedule::Phase::forward) end = Seconds(slot.end);
    }
    return end;
  }

  const Scenario& scenario_;
  const scenario::Strategy& strategy_;
  const StageDemand& demand_;
  const Arrangement& where_;
  const ReplicaExchange exchange_;
  const KnownPlan& known_;
  Plays& plays_;
  const schedule::Plan& plan_;
  GroupShapes& shapes_;
  std::vector<Seconds> messages_;                // how long a device waits for each, as StageDemand::messages
  std::vector<Seconds> waits_;                   // the same of its members
  std::vector<StageExchange> exchanges_;         // per stage
  std::vector<ReplicaExchange::Passes> passes_;  // likewise; empty where tasks wait for no gathers
};

}  // namespace

// A pipeline with one microbatch is cut by the times of the whole batch, but passes the same ops wherever it is cut.
// With whole backward passes nothing is known that Bounds does not know.
Refined Refiner::only_microbatch(const ReadPoint& point, const scenario::Sequential& program,
                                 const std::vector<scenario::Placement>& placements) {
  const Scenario& scenario = *point.scenario;
  if (!scenario.strategy.schedule->splits_backward && !scenario.strategy.delay_weight_gradients) return {};
  Scenario uncut               = scenario;
  uncut.strategy.pp            = 1;
  uncut.strategy.schedule      = &schedule::schedules().get("zb_h1", "schedule");
  uncut.strategy.schedule_size = {.devices = 1, .microbatches = 1, .chunks = 1};
  const auto demand            = demands_.of(uncut, program, point.platform());
  const bool is_split          = demand && demand->stages.front().weight_grad.compute > Seconds(0);
  if (!is_split) return {};
  const KnownPlan& plan    = plans_.of(*scenario.strategy.schedule, scenario.strategy.schedule_size);
  GroupShapes& shapes      = shapes_.on(point.platform());
  const Arrangement& where = shapes.arrangement(scenario, placements);
  return {{Composition(scenario, *demand, plan, plays_, shapes, where).passage(), Bytes(0)}, false};
}

Refined Refiner::refine(const ReadPoint& point) {
  const Scenario& scenario = *point.scenario;
  if (scenario.disturbances) return {};  // they may make devices and links faster
  const auto program = predictor_.sequential(scenario);
  if (!program) return {};
  if (scenario.strategy.microbatches == 1 && scenario.strategy.pp > 1) return only_microbatch(point, **program, {});
  const auto demand = demands_.of(scenario, **program, point.platform());
  if (!demand) return {};
  const int chunks = scenario.strategy.tensor_chunks;
  const bool is_uncut =
      chunks > 1 && !scenario.strategy.sequence_parallel && !demand->may_be_cut(chunks, scenario.strategy.microbatches);
  const KnownPlan& plan = plans_.of(*scenario.strategy.schedule, scenario.strategy.schedule_size);
  GroupShapes& shapes   = shapes_.on(point.platform());
  return {Composition(scenario, *demand, plan, plays_, shapes, shapes.arrangement(scenario)).bound(), is_uncut};
}

// Where the model is cut depends on the placement, so every cut counts.
Bound Refiner::sketch(const std::vector<ReadPoint>& points) {
  const Scenario& scenario = *points.front().scenario;
  if (scenario.disturbances) return {};  // they may make devices and links faster
  const auto program = predictor_.sequential(scenario);
  if (!program) return {};
  std::vector<scenario::Placement> placements;
  for (const ReadPoint& point : points) placements.push_back(point.scenario->placement);
  if (scenario.strategy.microbatches == 1 && scenario.strategy.pp > 1)
    return only_microbatch(points.front(), **program, placements);
  GroupShapes& shapes      = shapes_.on(points.front().platform());
  const Arrangement& where = shapes.arrangement(scenario, placements);
  const KnownPlan& plan    = plans_.of(*scenario.strategy.schedule, scenario.strategy.schedule_size);
  std::vector<const void*> seen;  // the stages of cuts
  Bound least;
  for (const ReadPoint& point : points) {
    const auto demand = demands_.of(*point.scenario, **program, point.platform());
    if (!demand) return {};
    if (std::find(seen.begin(), seen.end(), &demand->stages) != seen.end()) continue;
    const Bound own = Composition(scenario, *demand, plan, plays_, shapes, where).sketch();
    least           = seen.empty() ? own : Bound{std::min(least.time, own.time), std::min(least.memory, own.memory)};
    seen.push_back(&demand->stages);
  }
  return least;
}

std::string print(const std::vector<Refined>& all) {
  Json json = Json::array();
  for (const Refined& one : all) json.push(Json::Array{one.time.value(), one.memory.value(), one.is_uncut});
  return json.dump_compact();
}

std::vector<Refined> read_refined(const std::string& text) {
  const Json json = parse_json(text, "bounds");
  std::vector<Refined> all;
  for (const JsonView& one : JsonView(json, "bounds").items()) {
    const auto items = one.items();
    all.push_back({{Seconds(items[0].as_number()), Bytes(items[1].as_number())}, items[2].as_bool()});
  }
  return all;
}

}  // namespace foreflow::search
