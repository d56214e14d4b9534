#include "transform/replica/exchange_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "foreflow/base/refusal.h"
#include "transform/replica/gather_windows.h"
#include "transform/replica/gradient_parts.h"
#include "transform/replica/trained_weights.h"
#include "transform/replica/weight_units.h"

namespace foreflow::transform {
namespace {

// Puts gradients of rank 0 into buckets, and beside each those of the other ranks.
class Packer {
 public:
  Packer(const std::vector<GradientPart>& parts, const std::vector<TrainedWeight>& weights,
         const interpret::Values<LaidOut>& values)
      : parts_(parts), weights_(weights), values_(values) {
    for (const GradientPart& part : parts) by_weight_[{part.weight, part.call}] = &part;
  }

  // Collects the gradients that are computed on one device in one call (or outside of calls), in the order in which
  // they are computed. A bucket is complete when it has `limit` bytes, the first one when it has `first`.
  std::vector<Bucket> by_size(Bytes limit, Bytes first) const {
    struct Open {
      Bucket bucket;
      Bytes size, limit;
    };
    std::vector<Bucket> packed;
    std::map<Key, Open> open;
    std::set<Key> begun;
    for (const GradientPart& part : parts_) {
      if (weights_[part.weight].rank > 0) continue;
      const Key key = key_of(part, 0);
      const auto at = open.find(key);
      Open& bucket  = at != open.end() ? at->second : open[key];
      if (at == open.end()) {
        bucket = {begin(part), Bytes(0), limit};
        if (begun.insert(key).second && first > Bytes(0)) bucket.limit = first;
      }
      bucket.bucket.parts.push_back(part);
      // As optimizers take it.
      bucket.size += ir::bytes_of(values_[ir::index(weights_[part.weight].taken)].value.type);
      if (bucket.size < bucket.limit) continue;
      packed.push_back(of_all_ranks(std::move(bucket.bucket)));
      open.erase(key);
    }
    for (auto& [key, bucket] : open) packed.push_back(of_all_ranks(std::move(bucket.bucket)));
    return packed;
  }

  // The same, in buckets of the gradients of a unit.
  std::vector<Bucket> by_unit(const std::vector<size_t>& units) const {
    std::map<Key, Bucket> buckets;
    for (const GradientPart& part : parts_) {
      if (weights_[part.weight].rank > 0) continue;
      buckets.try_emplace(key_of(part, units[part.weight]), begin(part)).first->second.parts.push_back(part);
    }
    std::vector<Bucket> packed;
    for (auto& [key, bucket] : buckets) packed.push_back(of_all_ranks(std::move(bucket)));
    return packed;
  }

 private:
  using Key = std::tuple<size_t, ir::Device, size_t, bool, bool, size_t>;

  // Weights of the same number of ranks on a device have the same ranks.
  Key key_of(const GradientPart& part, size_t unit) const {
    const ir::Device device = ir::device_of(values_[ir::index(part.value)].value.type);
    return {part.call, device, weights_[part.weight].ranks, part.adds, part.last, unit};
  }

  static Bucket begin(const GradientPart& part) { return {part.at, part.call != kNoOp, {}, part.adds, part.last}; }

  Bucket of_all_ranks(Bucket bucket) const {
    const std::vector<GradientPart> own = std::exchange(bucket.parts, {});
    bucket.ranks                        = weights_[own.front().weight].ranks;
    for (size_t rank = 0; rank < bucket.ranks; ++rank) {
      for (const GradientPart& part : own) {
        const auto found = by_weight_.find({weights_[part.weight].copies[rank], part.call});
        FOREFLOW_CHECK(found != by_weight_.end(), "the ranks make their gradients in the same calls");
        bucket.parts.push_back(*found->second);
        bucket.at = std::max(bucket.at, found->second->at);
      }
    }
    return bucket;
  }

  const std::vector<GradientPart>& parts_;
  const std::vector<TrainedWeight>& weights_;
  const interpret::Values<LaidOut>& values_;
  std::map<std::pair<size_t, size_t>, const GradientPart*> by_weight_;  // by weight and call
};

}  // namespace

ExchangePlan plan_exchange(const ir::Module& module, const LayoutInterpretation& layouts, const DataParallel& how) {
  ExchangePlan plan;
  if (how.shares()) plan.weights = trained_weights(module.entry(), layouts.entry().values, how.ways);
  if (plan.empty()) {
    if (how.zero > 0 && how.ways > 1)
      throw RefusalError(Cause::program, module.source + ": @" + module.entry().name,
                         "updates no weight with a sum over replicas, so zero has nothing to split; leave it at 0");
    return plan;
  }
  for (const TrainedWeight& weight : plan.weights) plan.update = std::max(plan.update, weight.op + 1);
  // Behind all updates, so that those of other weights stand before it on every device.
  const std::vector<ir::Op>& ops = module.entry().ops;
  while (plan.update < ops.size() && !ops[plan.update].is_call() && ops[plan.update].def->role == ir::Role::optimizer)
    ++plan.update;
  const auto& values = layouts.entry().values;
  const auto parts   = gradient_parts(module, layouts, plan.weights, how.ways, how.zero >= 2);
  const auto units   = how.by_block ? units_by_block(module.entry(), values, plan.weights) : std::vector<size_t>();
  const Packer packer(parts, plan.weights, values);
  plan.buckets = how.by_block ? packer.by_unit(units) : packer.by_size(how.bucket, how.first_bucket);
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
