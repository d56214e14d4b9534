#include "replica_exchange.h"

#include <utility>

namespace foreflow::transform {
namespace {

using ir::ValueId;

constexpr std::string_view kStream = "comm";
constexpr size_t kNone             = SIZE_MAX;

int64_t row_size(const ir::Type& type, int ways) { return (ir::element_count(type.dims) + ways - 1) / ways; }

std::vector<int64_t> list(const ir::Dims& dims) { return {dims.begin(), dims.end()}; }

}  // namespace

ReplicaExchange::ReplicaExchange(const ExchangePlan& plan, const DataParallel& how, const Replicas& replicas)
    : plan_(plan), how_(how), replicas_(replicas), next_(plan.windows.size(), kNone) {
  for (const TrainedWeight& weight : plan.weights) {
    ops_.insert(weight.op);
    if (how.zero == 0) continue;
    flat_.insert(weight.states.begin(), weight.states.end());
    flat_.insert(weight.results.begin() + (how.zero == 3 ? 0 : 1), weight.results.end());
    if (how.zero == 3) flat_.insert(weight.weight);
  }
  for (const Bucket& bucket : plan.buckets) places_.insert(bucket.at);
  std::map<ir::Device, size_t> last;
  for (size_t i = 0; i < plan.windows.size(); ++i) {
    places_.insert(plan.windows[i].at);
    const auto [found, first] = last.try_emplace(plan.windows[i].device, i);
    if (!first) next_[std::exchange(found->second, i)] = i;
  }
  if (!plan.empty()) places_.insert(plan.update);
}

void ReplicaExchange::at(size_t o) {
  for (size_t i = 0; i < plan_.buckets.size(); ++i) {
    if (plan_.buckets[i].at == o) sum(plan_.buckets[i], i);
  }
  for (size_t i = 0; i < plan_.windows.size(); ++i) {
    if (plan_.windows[i].at == o) open(i);
  }
  if (!plan_.empty() && o == plan_.update) update();
}

// A value of the replica on the stream of the device that `owner` is on, and back.
ValueId ReplicaExchange::to_stream(ValueId value, ValueId owner, int way) {
  if (!how_.overlap) return value;
  const ir::Device device = replicas_.device(ir::device_of(type(owner)), way);
  return replicas_.builder.op("Send", {value}, {{"to", ir::Device(device.index, kStream)}});
}

ValueId ReplicaExchange::from_stream(ValueId value, ValueId owner, int way) {
  if (!how_.overlap) return value;
  return replicas_.builder.op("Send", {value}, {{"to", replicas_.device(ir::device_of(type(owner)), way)}});
}

ValueId ReplicaExchange::pack(const Values& values) {
  return values.size() == 1 ? values[0] : replicas_.builder.op("PackTuple", values);
}

ReplicaExchange::Values ReplicaExchange::unpack(ValueId packed, size_t count) {
  if (count == 1) return {packed};
  return replicas_.builder.emit("UnpackTuple", {packed}, {}, count);
}

// The elements as a matrix with a row for each replica, zeros behind the last.
ValueId ReplicaExchange::rows(ValueId value, const ir::Type& type) {
  const int64_t elements = ir::element_count(type.dims), row = row_size(type, how_.ways),
                missing        = row * how_.ways - elements;
  ir::FunctionBuilder& builder = replicas_.builder;
  if (missing > 0) {
    value = builder.op("Reshape", {value}, {{"shape", std::vector<int64_t>{elements}}});
    value = builder.op("Pad", {value}, {{"pads", std::vector<int64_t>{0, missing}}});
  }
  return builder.op("Reshape", {value}, {{"shape", std::vector<int64_t>{how_.ways, row}}});
}

ValueId ReplicaExchange::own_row(ValueId value, const ir::Type& type, int way) {
  return replicas_.builder.op("Slice", {rows(value, type)},
                              {{"axes", std::vector<int64_t>{0}},
                               {"starts", std::vector<int64_t>{way}},
                               {"ends", std::vector<int64_t>{way + 1}}});
}

ValueId ReplicaExchange::from_rows(ValueId value, const ir::Type& type) {
  const int64_t elements = ir::element_count(type.dims), padded = row_size(type, how_.ways) * how_.ways;
  ir::FunctionBuilder& builder = replicas_.builder;
  if (padded > elements) {
    value = builder.op("Reshape", {value}, {{"shape", std::vector<int64_t>{padded}}});
    value = builder.op("Slice", {value},
                       {{"axes", std::vector<int64_t>{0}},
                        {"starts", std::vector<int64_t>{0}},
                        {"ends", std::vector<int64_t>{elements}}});
  }
  return builder.op("Reshape", {value}, {{"shape", list(type.dims)}});
}

// All-reduced, or reduce-scattered so that every replica has its row of the sum.
void ReplicaExchange::sum(const Bucket& bucket, size_t number) {
  Values packed;
  for (int way = 0; way < how_.ways; ++way) {
    Values own;
    for (const ValueId id : bucket.gradients) {
      const ValueId gradient = copies(id)[static_cast<size_t>(way)];
      own.push_back(how_.zero == 0 ? gradient : rows(gradient, type(id)));
    }
    packed.push_back(to_stream(pack(own), bucket.gradients[0], way));
  }
  const auto ways = static_cast<size_t>(how_.ways);
  // ZeRO 1 keeps the whole gradients until the update.
  const ir::Attributes scatter = how_.zero == 1 ? ir::Attributes{{"axis", int64_t{0}}, {"in_place", int64_t{1}}}
                                                : ir::Attributes{{"axis", int64_t{0}}};
  Values reduced               = how_.zero == 0 ? replicas_.builder.emit("MPIAllreduce", packed, {}, ways)
                                                : replicas_.builder.emit("MPIReduceScatter", packed, scatter, ways);
  if (bucket.adds) return add_up(bucket, reduced);
  reduced_[number] = std::move(reduced);
}

// The part of one microbatch joins those before it, where it arrives.
void ReplicaExchange::add_up(const Bucket& bucket, const Values& reduced) {
  for (size_t way = 0; way < reduced.size(); ++way) {
    const Values parts = unpack(reduced[way], bucket.weights.size());
    for (size_t i = 0; i < parts.size(); ++i) {
      Copies& sums = so_far_[bucket.weights[i]];
      if (sums.size() == way) {
        sums.push_back(parts[i]);
      } else {
        sums[way] = replicas_.builder.op("Add", {sums[way], parts[i]});
      }
    }
  }
}

// The sums of a bucket on the device of the replica.
ReplicaExchange::Values ReplicaExchange::gradients(const Bucket& bucket, size_t number, int way) {
  const auto w = static_cast<size_t>(way);
  if (!bucket.adds) return unpack(from_stream(reduced_.at(number)[w], bucket.gradients[0], way), bucket.weights.size());
  Values sums;
  for (const size_t number : bucket.weights)
    sums.push_back(from_stream(so_far_.at(number)[w], bucket.gradients[0], way));
  return sums;
}

// The optimizers of a bucket on one replica; new weights, or the replica's rows of them.
ReplicaExchange::Values ReplicaExchange::step(const Bucket& bucket, const Values& gradients, int way) {
  const auto w = static_cast<size_t>(way);
  std::map<size_t, std::vector<size_t>> members;  // by op
  for (size_t i = 0; i < bucket.weights.size(); ++i) members[weight(bucket.weights[i]).op].push_back(i);
  Values fresh(bucket.weights.size());
  for (const auto& [o, rows] : members) {
    const ir::Op& op = replicas_.function.ops[o];
    Values operands;
    for (const size_t i : rows) {
      const ValueId id = weight(bucket.weights[i]).weight;
      if (how_.zero == 0) operands.push_back(copies(id)[w]);
      if (how_.zero == 1 || how_.zero == 2) operands.push_back(own_row(copies(id)[w], type(id), way));
      if (how_.zero == 3) operands.push_back(parts_.at(id)[w]);
    }
    for (const size_t i : rows) operands.push_back(gradients[i]);
    const TrainedWeight& first = weight(bucket.weights[rows[0]]);
    for (const ValueId state : first.states) operands.push_back(copies(state)[w]);
    const size_t results = rows.size() + first.states.size();
    const auto made      = ir::index(replicas_.builder.append(op.def, -1, op.attributes, operands, results));
    for (size_t k = 0; k < rows.size(); ++k) fresh[rows[k]] = static_cast<ValueId>(made + k);
    for (size_t k = 0; k < first.states.size(); ++k) {
      const auto state = static_cast<ValueId>(made + rows.size() + k);
      replicas_.builder.set_name(state, replicas_.name(replicas_.function.value(first.results[1 + k]), way));
      copies(first.results[1 + k]).push_back(state);
    }
  }
  return fresh;
}

// Rows of weights, per replica, as whole weights on the stream of each.
ReplicaExchange::Values ReplicaExchange::all_gather(const std::vector<Values>& parts,
                                                    const std::vector<size_t>& weights) {
  Values packed;
  for (int way = 0; way < how_.ways; ++way)
    packed.push_back(to_stream(pack(parts[static_cast<size_t>(way)]), weight(weights[0]).weight, way));
  return replicas_.builder.emit("MPIAllgather", packed, {{"axis", int64_t{0}}}, packed.size());
}

// Bucket by bucket; where communication has its own stream, new weights are gathered while the next bucket is updated.
void ReplicaExchange::update() {
  const Bucket* waiting = nullptr;
  Values gathered;
  for (size_t b = 0; b < plan_.buckets.size(); ++b) {
    const Bucket& bucket = plan_.buckets[b];
    if (!bucket.last) continue;
    std::vector<Values> fresh;
    for (int way = 0; way < how_.ways; ++way) fresh.push_back(step(bucket, gradients(bucket, b, way), way));
    if (how_.zero == 1 || how_.zero == 2) {
      if (waiting != nullptr) assign(*waiting, gathered);
      gathered = all_gather(fresh, bucket.weights);
      waiting  = &bucket;
      if (!how_.overlap) assign(*std::exchange(waiting, nullptr), gathered);
      continue;
    }
    for (size_t i = 0; i < bucket.weights.size(); ++i) {
      const ValueId result = weight(bucket.weights[i]).results[0];
      for (int way = 0; way < how_.ways; ++way) {
        const ValueId own = fresh[static_cast<size_t>(way)][i];
        replicas_.builder.set_name(own, replicas_.name(replicas_.function.value(result), way));
        copies(result).push_back(own);
      }
    }
  }
  if (waiting != nullptr) assign(*waiting, gathered);
}

// Gathered weights take the place of the old ones.
void ReplicaExchange::assign(const Bucket& bucket, const Values& gathered) {
  for (int way = 0; way < how_.ways; ++way) {
    const auto w       = static_cast<size_t>(way);
    const Values fresh = unpack(from_stream(gathered[w], weight(bucket.weights[0]).weight, way), bucket.weights.size());
    for (size_t i = 0; i < fresh.size(); ++i) {
      const TrainedWeight& trained = weight(bucket.weights[i]);
      const ValueId whole          = from_rows(fresh[i], type(trained.weight));
      copies(trained.results[0])
          .push_back(replicas_.builder.op("Assign", {copies(trained.weight)[w], whole}, {},
                                          replicas_.name(replicas_.function.value(trained.results[0]), way)));
    }
  }
}

void ReplicaExchange::gather(size_t window) {
  const Window& what = plan_.windows[window];
  std::vector<Values> parts(static_cast<size_t>(how_.ways));
  for (const size_t number : what.weights) {
    const ValueId id = weight(number).weight;
    if (!parts_.contains(id)) parts_[id] = copies(id);
    for (size_t way = 0; way < parts.size(); ++way) parts[way].push_back(parts_.at(id)[way]);
  }
  gathered_[window] = all_gather(parts, what.weights);
}

// The weights of a window are there from here on, and those of the next one on their way. In this order: a stream hands
// over what it has when it comes to that, so behind the next gather it would do so late.
void ReplicaExchange::open(size_t window) {
  if (!gathered_.contains(window)) gather(window);
  const Window& what = plan_.windows[window];
  Values arrived;
  for (int way = 0; way < how_.ways; ++way)
    arrived.push_back(from_stream(gathered_.at(window)[static_cast<size_t>(way)], weight(what.weights[0]).weight, way));
  if (how_.overlap && next_[window] != kNone) gather(next_[window]);
  for (int way = 0; way < how_.ways; ++way) {
    const auto w       = static_cast<size_t>(way);
    const Values whole = unpack(arrived[w], what.weights.size());
    for (size_t i = 0; i < whole.size(); ++i) {
      const ValueId id = weight(what.weights[i]).weight;
      copies(id)[w]    = from_rows(whole[i], type(id));
    }
  }
  gathered_.erase(window);
}

}  // namespace foreflow::transform
