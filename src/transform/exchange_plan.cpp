#include "exchange_plan.h"

#include <algorithm>

#include "cut_calls.h"
#include "gather_windows.h"
#include "gradient_parts.h"
#include "trained_weights.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

struct PlacedBucket {
  Position at;
  Bucket bucket;
};

// Gradients that are made on one device in one call (or outside calls) travel together, in the order in which they are
// made, as soon as they are `limit` bytes.
std::vector<PlacedBucket> pack(const std::vector<GradientPart>& parts, const interpret::Values<LaidOut>& values,
                               Bytes limit) {
  struct Open {
    PlacedBucket placed;
    Bytes size;
  };
  std::vector<PlacedBucket> packed;
  std::map<std::tuple<size_t, ir::Device, bool, bool>, Open> open;
  for (const GradientPart& part : parts) {
    const ir::Type& type = values[ir::index(part.value)].value.type;
    const auto key       = std::tuple(part.call, ir::device_of(type), part.adds, part.last);
    Open& bucket = open.try_emplace(key, Open{{part.at, {0, {}, {}, part.adds, part.last}}, Bytes(0)}).first->second;
    bucket.placed.at = std::max(bucket.placed.at, part.at);
    bucket.placed.bucket.weights.push_back(part.weight);
    bucket.placed.bucket.gradients.push_back(part.value);
    bucket.size += ir::bytes_of(type);
    if (bucket.size < limit) continue;
    packed.push_back(std::move(bucket.placed));
    open.erase(key);
  }
  for (auto& [key, bucket] : open) packed.push_back(std::move(bucket.placed));
  std::stable_sort(packed.begin(), packed.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  return packed;
}

std::vector<ValueId> renamed(const std::vector<ValueId>& ids, const WithCutCalls& cut) {
  std::vector<ValueId> result;
  for (const ValueId id : ids) result.push_back(cut.values[ir::index(id)]);
  return result;
}

// Places are ops of the program as it is.
ExchangePlan uncut(ExchangePlan plan, ir::Module module, std::vector<PlacedBucket>& buckets,
                   std::vector<PlacedWindow>& windows, bool early) {
  plan.module = std::move(module);
  for (PlacedBucket& placed : buckets) {
    placed.bucket.at = early ? placed.at.op : plan.update;
    plan.buckets.push_back(std::move(placed.bucket));
  }
  for (PlacedWindow& placed : windows) plan.windows.push_back({placed.at.op, placed.device, std::move(placed.weights)});
  return plan;
}

}  // namespace

ExchangePlan plan_exchange(ir::Module module, const LayoutInterpretation& layouts, const DataParallel& how) {
  ExchangePlan plan;
  const bool plain = how.zero == 0 && !how.overlap && how.bucket == Bytes(0);
  if (!plain && how.ways > 1) plan.weights = trained_weights(module.entry(), layouts.entry().values);
  if (plan.empty()) {
    if (how.zero > 0 && how.ways > 1)
      throw Error(module.source + ": @" + module.entry().name,
                  "updates no weight with a sum over replicas, so zero has nothing to split; leave it at 0");
    plan.module = std::move(module);
    return plan;
  }
  const auto& values = layouts.entry().values;
  std::map<size_t, CallCuts> cuts;
  const std::vector<GradientPart> parts = gradient_parts(module, layouts, plan.weights, how.zero >= 2, cuts);
  // What is summed after the backward pass waits until then.
  const bool early                  = how.overlap || how.zero >= 2;
  std::vector<PlacedBucket> buckets = pack(parts, values, how.bucket);
  std::vector<PlacedWindow> windows;
  if (how.zero == 3) windows = gather_windows(module, layouts, plan.weights, how.bucket);
  const auto cut_at = [&](const Position& at) {
    if (at.inner > 0) cuts[at.op].before.insert(at.inner);
  };
  for (const PlacedBucket& bucket : buckets) {
    if (early) cut_at(bucket.at);
  }
  for (const PlacedWindow& window : windows) cut_at(window.at);
  for (const TrainedWeight& weight : plan.weights) plan.update = std::max(plan.update, weight.op + 1);
  if (cuts.empty()) return uncut(std::move(plan), std::move(module), buckets, windows, early);
  WithCutCalls cut = cut_calls(module, cuts);
  plan.update      = cut.first_op[plan.update];
  for (TrainedWeight& weight : plan.weights) {
    weight.op       = cut.first_op[weight.op];
    weight.gradient = cut.values[ir::index(weight.gradient)];
    weight.results  = renamed(weight.results, cut);
  }
  for (PlacedBucket& placed : buckets) {
    placed.bucket.at        = early ? cut.at(placed.at, cuts) : plan.update;
    placed.bucket.gradients = renamed(placed.bucket.gradients, cut);
    plan.buckets.push_back(std::move(placed.bucket));
  }
  for (PlacedWindow& placed : windows)
    plan.windows.push_back({cut.at(placed.at, cuts), placed.device, std::move(placed.weights)});
  plan.module = std::move(cut.module);
  return plan;
}

}  // namespace foreflow::transform
