#include "transform/replica/replica_update.h"

#include <map>
#include <utility>

namespace foreflow::transform {
namespace {

using ir::ValueId;
using Values = ReplicaExchange::Values;

class UpdateWriter {
 public:
  explicit UpdateWriter(const ReplicaUpdate& update) : update_(update) {}

  void run() {
    if (by_rows()) hand_over();
    for (size_t b = 0; b < update_.plan.buckets.size(); ++b) {
      const Bucket& bucket = update_.plan.buckets[b];
      if (!bucket.last) continue;
      const Values fresh = step(bucket, gradients(bucket, b));
      if (!by_rows()) {
        for (size_t i = 0; i < fresh.size(); ++i) set(weight(bucket, i).results[0], fresh[i]);
        continue;
      }
      assign_before(bucket);
      gathered_.push_back({b, update_.messages.gather(members(bucket, fresh), names(bucket))});
      if (!update_.how.overlap) assign_all();
    }
    assign_all();
  }

 private:
  const ir::Type& type(ValueId id) const { return update_.values[ir::index(id)].value.type; }
  const TrainedWeight& weight(const Bucket& bucket, size_t i) const {
    return update_.plan.weights[bucket.parts[i].weight];
  }
  // The device of a rank.
  ir::Device device(const Bucket& bucket, size_t rank) const {
    return ir::device_of(type(weight(bucket, rank * bucket.count()).weight));
  }
  std::vector<ReplicaExchange::Member> members(const Bucket& bucket, const Values& fresh) const {
    std::vector<ReplicaExchange::Member> members;
    const auto count = static_cast<std::ptrdiff_t>(bucket.count());
    for (size_t rank = 0; rank < bucket.ranks; ++rank) {
      const auto first = fresh.begin() + static_cast<std::ptrdiff_t>(rank) * count;
      members.push_back({device(bucket, rank), {first, first + count}, {}});
    }
    return members;
  }
  std::vector<std::string> names(const Bucket& bucket) const {
    std::vector<std::string> names;
    for (size_t i = 0; i < bucket.parts.size(); ++i)
      names.push_back(update_.entry.value(weight(bucket, i).weight).name);
    return names;
  }
  ValueId now(ValueId id) const { return update_.map[ir::index(id)]; }

  void set(ValueId result, ValueId made) {
    update_.map[ir::index(result)] = made;
    update_.builder.set_name(made, update_.entry.value(result).name);
  }

  // The sums of a bucket, on the main streams of its ranks: the sum of each part if microbatches add to them,
  // otherwise one packed value for each rank.
  Values arrive(const Bucket& bucket, size_t number) {
    Values sums;
    for (size_t rank = 0; rank < bucket.ranks; ++rank) {
      const ir::Device here = device(bucket, rank);
      if (!bucket.adds) sums.push_back(update_.messages.arrive(update_.reduced.at(number)[rank], here));
      for (size_t i = rank * bucket.count(); bucket.adds && i < (rank + 1) * bucket.count(); ++i)
        sums.push_back(update_.messages.arrive(now(bucket.parts[i].value), here));
    }
    return sums;
  }

  // Hands all sums over before the first gather. A stream hands over in its own order, so behind the gather of a bucket
  // the sums of the next one would come late, and its optimizers would hide nothing.
  void hand_over() {
    for (size_t b = 0; b < update_.plan.buckets.size(); ++b) {
      if (update_.plan.buckets[b].last) arrived_[b] = arrive(update_.plan.buckets[b], b);
    }
  }

  // The sums of a bucket on the devices of the replica.
  Values gradients(const Bucket& bucket, size_t number) {
    const auto found     = arrived_.find(number);
    const Values arrived = found != arrived_.end() ? found->second : arrive(bucket, number);
    if (bucket.adds) return arrived;
    Values sums;
    for (size_t rank = 0; rank < bucket.ranks; ++rank) {
      std::vector<ir::Type> types;
      for (size_t i = rank * bucket.count(); i < (rank + 1) * bucket.count(); ++i)
        types.push_back(type(weight(bucket, i).taken));
      for (const ValueId sum : update_.messages.unpack_sums(arrived[rank], types)) sums.push_back(sum);
    }
    return sums;
  }

  // Returns true if weights are whole and their states are not.
  bool by_rows() const { return update_.how.zero == 1 || update_.how.zero == 2; }

  ir::AttributesRef attributes(const ir::Op& op, size_t ranks) {
    if (!by_rows()) return op.attributes;
    ir::Attributes shared = *op.attributes;
    shared.set(std::string(ir::kSharers), static_cast<int64_t>(update_.how.all_ranks(ranks)) * update_.how.ways);
    return update_.builder.share(std::move(shared));
  }

  ValueId old_weight(const TrainedWeight& weight) {
    const ValueId given = update_.given[ir::index(weight.weight)];
    return by_rows() ? update_.messages.own_row(given, type(weight.weight), weight.rank, weight.ranks) : given;
  }

  // The optimizers of a bucket; new weights, or the replica's rows of them.
  Values step(const Bucket& bucket, const Values& gradients) {
    std::map<size_t, std::vector<size_t>> members;  // by op
    for (size_t i = 0; i < bucket.parts.size(); ++i) members[weight(bucket, i).op].push_back(i);
    Values fresh(bucket.parts.size());
    for (const auto& [o, rows] : members) {
      const ir::Op& op           = update_.entry.ops[o];
      const TrainedWeight& first = weight(bucket, rows[0]);
      Values operands;
      for (const size_t i : rows) operands.push_back(old_weight(weight(bucket, i)));
      for (const size_t i : rows) operands.push_back(gradients[i]);
      for (const ValueId state : first.states) operands.push_back(now(state));
      const size_t results = rows.size() + first.states.size();
      const auto made = ir::index(update_.builder.append(op.def, -1, attributes(op, bucket.ranks), operands, results));
      for (size_t k = 0; k < rows.size(); ++k) fresh[rows[k]] = static_cast<ValueId>(made + k);
      for (size_t k = 0; k < first.states.size(); ++k)
        set(first.results[1 + k], static_cast<ValueId>(made + rows.size() + k));
    }
    return fresh;
  }

  // Gathered weights take the place of the old ones.
  void assign(const Bucket& bucket, Values gathered) {
    for (size_t rank = 0; rank < bucket.ranks; ++rank)
      gathered[rank] = update_.messages.arrive(gathered[rank], device(bucket, rank));
    const Values fresh = update_.messages.unpack_gathered(gathered, names(bucket));
    for (size_t i = 0; i < fresh.size(); ++i) {
      const TrainedWeight& trained = weight(bucket, i);
      const ValueId whole          = update_.messages.from_rows(fresh[i], type(trained.weight), bucket.ranks);
      set(trained.results[0], update_.builder.op("Assign", {update_.given[ir::index(trained.weight)], whole}));
    }
  }

  bool shares_device(const Bucket& a, const Bucket& b) const {
    for (size_t i = 0; i < a.ranks; ++i) {
      for (size_t j = 0; j < b.ranks; ++j) {
        if (device(a, i) == device(b, j)) return true;
      }
    }
    return false;
  }

  // Assigns what the devices of a bucket gather, before they gather that bucket: each of them gathers one bucket at a
  // time while it updates the next one. Other devices, such as tensor-parallel ranks, are not held by that.
  void assign_before(const Bucket& bucket) {
    std::vector<Gathered> others;
    for (Gathered& one : std::exchange(gathered_, {})) {
      const Bucket& before = update_.plan.buckets[one.bucket];
      if (shares_device(before, bucket)) {
        assign(before, std::move(one.weights));
      } else {
        others.push_back(std::move(one));
      }
    }
    gathered_ = std::move(others);
  }

  void assign_all() {
    for (Gathered& one : std::exchange(gathered_, {})) assign(update_.plan.buckets[one.bucket], std::move(one.weights));
  }

  // The weights of a bucket, one packed value for each rank.
  struct Gathered {
    size_t bucket;
    Values weights;
  };

  const ReplicaUpdate& update_;
  std::map<size_t, Values> arrived_;  // by bucket: sums that were handed over already
  std::vector<Gathered> gathered_;    // on their way
};

}  // namespace

void write_update(const ReplicaUpdate& update) { UpdateWriter(update).run(); }

}  // namespace foreflow::transform
