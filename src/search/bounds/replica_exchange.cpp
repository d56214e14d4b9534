#include "search/bounds/replica_exchange.h"

#include <algorithm>

#include "foreflow/base/nth.h"

namespace foreflow::search {
namespace {

using Step    = transform::StageNeed::Step;
using Trained = transform::StageNeed::Trained;

// The number of the message of each of `sizes`: one is full when it has `limit` bytes, the first one when it has
// `first`.
std::vector<size_t> packed(const std::vector<Bytes>& sizes, Bytes limit, Bytes first) {
  std::vector<size_t> numbers;
  Bytes size;
  size_t number = 0;
  for (const Bytes own : sizes) {
    numbers.push_back(number);
    size += own;
    if (size < (number == 0 && first > Bytes(0) ? first : limit)) continue;
    ++number;
    size = Bytes(0);
  }
  return numbers;
}

// The bytes of each message.
std::vector<Bytes> sums_of(const std::vector<Bytes>& sizes, const std::vector<size_t>& numbers) {
  std::vector<Bytes> sums(numbers.empty() ? 0 : numbers.back() + 1);
  for (size_t i = 0; i < sizes.size(); ++i) sums[numbers[i]] += sizes[i];
  return sums;
}

}  // namespace

// Some gradients may have 32 bits in programs of 16 bits.
Bytes least_summed(const scenario::Scenario& scenario, Bytes gradients) {
  if (!scenario.strategy.reduce_dtype) return gradients;
  const ir::DType dtype = scenario.workload.dtype.value_or(ir::DType::f64);
  const double widest   = dtype == ir::DType::f64 ? ir::size_of(ir::DType::f64) : ir::size_of(ir::DType::f32);
  return std::min(1.0, ir::size_of(*scenario.strategy.reduce_dtype) / widest) * gradients;
}

ReplicaExchange::ReplicaExchange(const scenario::Scenario& scenario, GroupShapes& shapes, const Arrangement& where)
    : scenario_(scenario),
      strategy_(scenario.strategy),
      shapes_(shapes),
      where_(where),
      ways_(strategy_.dp / strategy_.replicas_sharing()),
      step_(strategy_.devices() / ways_),
      groups_{{}, 1, step_} {
  const bool once = strategy_.sums_once();
  if (once && (strategy_.ep > 1 || strategy_.has_unequal_stages())) return;
  const int contexts = once ? strategy_.cp : 1;
  if (once) groups_ = {{}, strategy_.cp * strategy_.tp, strategy_.pp * strategy_.tp, strategy_.tp};
  for (int replica = 0; replica < ways_; ++replica) {
    for (int context = 0; context < contexts; ++context)
      groups_.ranks.push_back(replica * step_ + context * strategy_.tp);
  }
}

Seconds ReplicaExchange::all_reduce(Bytes bytes) const {
  if (groups_.ranks.size() < 2 || bytes == Bytes(0)) return Seconds(0);
  return shapes_.all_reduce(scenario_, where_, least_summed(scenario_, bytes), groups_);
}

Seconds ReplicaExchange::pair(size_t device, size_t partner, Bytes bytes) const {
  if (device == partner || bytes == Bytes(0)) return Seconds(0);
  const int group = step_ / strategy_.pp;
  std::vector<int> ranks{static_cast<int>(std::min(device, partner)) * group,
                         static_cast<int>(std::max(device, partner)) * group};
  return shapes_.all_reduce(scenario_, where_, bytes, {std::move(ranks), 1, group});
}

ReplicaExchange::Known& ReplicaExchange::known(collective::Kind kind) const {
  for (auto& [own, known] : known_) {
    if (own == kind) return known;
  }
  known_.push_back({kind, {scenario::network_message(scenario_, kind, Bytes(0), groups_.ranks)}});
  return known_.back().second;
}

Seconds ReplicaExchange::half(collective::Kind kind, Bytes bytes) const {
  if (is_unknown() || bytes == Bytes(0)) return Seconds(0);
  Known& known = this->known(kind);
  if (!known.message) return Seconds(0);
  if (kind == collective::Kind::reduce_scatter) bytes = least_summed(scenario_, bytes);
  for (const auto& [size, time] : known.times) {
    if (size == bytes.value()) return time;
  }
  known.message->bytes = bytes;
  known.times.emplace_back(bytes.value(), shapes_.alone(where_, *known.message, groups_));
  return known.times.back().second;
}

StageExchange ReplicaExchange::of_stage(const transform::StageNeed& need, bool sums) const {
  StageExchange exchange{};
  if (is_unknown()) return exchange;
  const bool gathers = strategy_.zero == 3;
  sums               = sums && strategy_.zero >= 2;
  if (need.trained.empty()) {
    if (gathers) exchange.forward = half(collective::Kind::all_gather, need.read_forward);
    if (gathers) exchange.backward = half(collective::Kind::all_gather, need.read_backward);
    if (sums) exchange.whole = half(collective::Kind::reduce_scatter, need.gradients);
    exchange.weight_grad    = exchange.whole;
    exchange.largest_gather = exchange.forward;
  }
  for (const Trained& device : need.trained) {
    if (gathers) add_gathers(device, exchange);
    if (sums) add_sums(device, exchange);
  }
  return exchange;
}

// A unit of weights is gathered as a whole, once or more in each pass that reads one of them.
void ReplicaExchange::add_gathers(const Trained& device, StageExchange& exchange) const {
  const std::vector<size_t> units = packed(device.weights, strategy_.bucket, Bytes(0));
  const std::vector<Bytes> bytes  = sums_of(device.weights, units);
  std::vector<bool> is_read(bytes.size());
  for (const Step& step : device.backward) {
    if (step.kind == Step::Kind::read && !step.is_late) is_read[nth(units, step.number)] = true;
  }
  for (size_t unit = 0; unit < bytes.size(); ++unit) {
    const Seconds time = half(collective::Kind::all_gather, bytes[unit]);
    exchange.forward += device.share * time;
    if (is_read[unit]) exchange.backward += device.share * time;
    exchange.largest_gather = std::max(exchange.largest_gather, time);
  }
}

// Gradients that different tasks make are packed apart from each other, so that there are no fewer messages.
void ReplicaExchange::add_sums(const Trained& device, StageExchange& exchange) const {
  std::vector<Bytes> early, late;
  for (const Step& step : device.backward) {
    if (step.kind != Step::Kind::gradient) continue;
    (step.is_late ? late : early).push_back(nth(device.gradients, step.number));
  }
  const Seconds whole = sums(device.gradients), apart = late.empty() ? Seconds(0) : sums(late);
  const Seconds rest = std::max(Seconds(0), whole - apart);
  exchange.whole += device.share * whole;
  exchange.weight_grad += device.share * apart;
  exchange.input_grad += device.share * (late.empty() ? whole : std::min(rest, sums(early)));
}

Seconds ReplicaExchange::sums(const std::vector<Bytes>& gradients) const {
  Seconds all;
  const std::vector<size_t> numbers = packed(gradients, strategy_.bucket, strategy_.first_bucket);
  for (const Bytes bytes : sums_of(gradients, numbers)) all += half(collective::Kind::reduce_scatter, bytes);
  return all;
}

ReplicaExchange::Passes ReplicaExchange::passes(const transform::StageNeed& need, bool sums,
                                                const std::vector<Seconds>& waits) const {
  Passes passes{};
  if (is_unknown()) return passes;
  for (const Trained& device : need.trained) {
    std::vector<Step> early;
    for (const Step& step : device.backward) {
      if (!step.is_late) early.push_back(step);
    }
    passes.forward += device.share * pass(device, device.forward, false, waits);
    passes.whole += device.share * pass(device, device.backward, sums, waits);
    passes.input_grad += device.share * pass(device, early, sums, waits);
  }
  return passes;
}

// Two streams, each of which does one thing after the other:
//
//   computes  ..|op reads unit 1|ops ..|last gradient of a bucket|ops ..|op reads unit 2|ops ..
//   exchange    |gather of unit 2 ..........|sum of the bucket .........|gather of unit 3 ..
//
// The gather of a unit is handed over when the unit before it is opened, so the first one may be there when the pass
// begins. A unit is handed back when it has been gathered; a sum that follows does not delay it.
Seconds ReplicaExchange::pass(const Trained& device, const std::vector<Step>& steps, bool sums,
                              const std::vector<Seconds>& waits) const {
  const std::vector<size_t> units = packed(device.weights, strategy_.bucket, Bytes(0));
  const std::vector<Bytes> bytes  = sums_of(device.weights, units);
  std::vector<size_t> order;  // units, as they are opened
  std::vector<size_t> place(bytes.size(), SIZE_MAX);
  std::vector<Bytes> gradients;
  for (const Step& step : steps) {
    const auto number = static_cast<size_t>(step.number);
    if (step.kind == Step::Kind::gradient) gradients.push_back(device.gradients[number]);
    if (step.kind != Step::Kind::read || place[units[number]] != SIZE_MAX) continue;
    place[units[number]] = order.size();
    order.push_back(units[number]);
  }
  const std::vector<size_t> buckets = packed(gradients, strategy_.bucket, strategy_.first_bucket);
  const std::vector<Bytes> summed   = sums_of(gradients, buckets);
  Seconds now, exchange;  // of the streams
  Seconds gathered;       // the unit that is opened next
  size_t opened = 0, made = 0;
  for (const Step& step : steps) {
    const auto number = static_cast<size_t>(step.number);
    switch (step.kind) {
      case Step::Kind::compute: now += step.time; break;
      case Step::Kind::message: now += waits[number]; break;
      case Step::Kind::read:
        if (place[units[number]] != opened) break;
        now = std::max(now, gathered);
        if (++opened == order.size()) break;
        exchange = std::max(exchange, now) + half(collective::Kind::all_gather, bytes[order[opened]]);
        gathered = exchange;
        break;
      case Step::Kind::gradient:
        ++made;
        if (!sums || (made < buckets.size() && buckets[made] == buckets[made - 1])) break;
        exchange = std::max(exchange, now) + half(collective::Kind::reduce_scatter, summed[buckets[made - 1]]);
        break;
    }
  }
  return now;
}

}  // namespace foreflow::search
