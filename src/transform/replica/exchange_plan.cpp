#include "transform/replica/exchange_plan.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "foreflow/base/refusal.h"
#include "transform/replica/gather_windows.h"
#include "transform/replica/gradient_parts.h"
#include "transform/replica/trained_weights.h"
#include "transform/replica/weight_units.h"

namespace foreflow::transform {
namespace {

// Collects the gradients that are computed on one device in one call (or outside of calls) into buckets, in the order
// in which they are computed. A bucket is complete when it has `limit` bytes, the first one when it has `first`.
std::vector<Bucket> pack(const std::vector<GradientPart>& parts, const std::vector<TrainedWeight>& weights,
                         const interpret::Values<LaidOut>& values, Bytes limit, Bytes first) {
  struct Open {
    Bucket bucket;
    Bytes size, limit;
  };
  std::vector<Bucket> packed;
  using Key = std::tuple<size_t, ir::Device, bool, bool>;
  std::map<Key, Open> open;
  std::set<Key> begun;
  for (const GradientPart& part : parts) {
    const ir::Type& type = values[ir::index(part.value)].value.type;
    const Key key        = {part.call, ir::device_of(type), part.adds, part.last};
    const auto at        = open.find(key);
    Open& bucket         = at != open.end() ? at->second : open[key];
    if (at == open.end()) {
      bucket = {{part.at, part.call != kNoOp, {}, part.adds, part.last}, Bytes(0), limit};
      if (begun.insert(key).second && first > Bytes(0)) bucket.limit = first;
    }
    bucket.bucket.at = std::max(bucket.bucket.at, part.at);
    bucket.bucket.parts.push_back(part);
    // As optimizers take it.
    bucket.size += ir::bytes_of(values[ir::index(weights[part.weight].taken)].value.type);
    if (bucket.size < bucket.limit) continue;
    packed.push_back(std::move(bucket.bucket));
    open.erase(key);
  }
  for (auto& [key, bucket] : open) packed.push_back(std::move(bucket.bucket));
  return packed;
}

// The same, in buckets of the gradients of a unit.
std::vector<Bucket> pack_units(const std::vector<GradientPart>& parts, const interpret::Values<LaidOut>& values,
                               const std::vector<size_t>& units) {
  using Key = std::tuple<size_t, ir::Device, bool, bool, size_t>;
  std::map<Key, Bucket> buckets;
  for (const GradientPart& part : parts) {
    const ir::Device device = ir::device_of(values[ir::index(part.value)].value.type);
    Bucket& bucket          = buckets
                         .try_emplace({part.call, device, part.adds, part.last, units[part.weight]},
                                      Bucket{part.at, part.call != kNoOp, {}, part.adds, part.last})
                         .first->second;
    bucket.at = std::max(bucket.at, part.at);
    bucket.parts.push_back(part);
  }
  std::vector<Bucket> packed;
  for (auto& [key, bucket] : buckets) packed.push_back(std::move(bucket));
  return packed;
}

}  // namespace

ExchangePlan plan_exchange(const ir::Module& module, const LayoutInterpretation& layouts, const DataParallel& how) {
  ExchangePlan plan;
  if (how.shares()) plan.weights = trained_weights(module.entry(), layouts.entry().values);
  if (plan.empty()) {
    if (how.zero > 0 && how.ways > 1)
      throw RefusalError(Cause::program, module.source + ": @" + module.entry().name,
                         "updates no weight with a sum over replicas, so zero has nothing to split; leave it at 0");
    return plan;
  }
  for (const TrainedWeight& weight : plan.weights) plan.update = std::max(plan.update, weight.op + 1);
  const auto& values = layouts.entry().values;
  const auto parts   = gradient_parts(module, layouts, plan.weights, how.zero >= 2);
  const auto units   = how.by_block ? units_by_block(module.entry(), values, plan.weights) : std::vector<size_t>();
  plan.buckets =
      how.by_block ? pack_units(parts, values, units) : pack(parts, plan.weights, values, how.bucket, how.first_bucket);
  for (Bucket& bucket : plan.buckets) {
    if (how.sums_early()) continue;
    bucket.at     = {plan.update, 0};
    bucket.inside = false;
  }
  std::stable_sort(plan.buckets.begin(), plan.buckets.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  if (how.zero == 3)
    plan.windows = gather_windows(module, layouts, plan.weights, how.bucket, units, how.keeps_gathered);
  return plan;
}

}  // namespace foreflow::transform
