#include "transform/replica/replica_call.h"

#include <algorithm>
#include <set>

#include "transform/replica/replica_exchange.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;
using Values = ReplicaExchange::Values;

class CallWriter {
 public:
  CallWriter(const ir::Function& function, const interpret::Values<LaidOut>& values, const CallExchange& exchange,
             const ir::OpTable& ops, const DataParallel& how, std::string name)
      : function_(function),
        values_(values),
        exchange_(exchange),
        builder_(std::move(name), ops),
        messages_(builder_, how),
        map_(function.values.size() + exchange.extra.size(), ValueId::none),
        gathered_(exchange.opens.size()),
        arrived_(exchange.opens.size()) {}

  ir::Function run() {
    for (size_t i = 0; i < function_.parameters.size(); ++i)
      map_[i] = builder_.parameter(function_.values[i].name, function_.parameters[i], ir::TypeRef());
    for (size_t i = 0; i < exchange_.extra.size(); ++i)
      map_[function_.values.size() + i] =
          builder_.parameter(exchange_.extra[i].name, exchange_.extra[i].role, ir::TypeRef());
    given_ = map_;
    for (const auto& [device, sum] : exchange_.begun) messages_.set_begun(device, at(sum));
    for (const CallExchange::Sum& sum : exchange_.sums) adds_.insert(sum.adds.begin(), sum.adds.end());
    size_t sum = 0;
    for (size_t o = 0; o <= function_.ops.size(); ++o) {
      for (; sum < exchange_.sums.size() && exchange_.sums[sum].at == o; ++sum) write(exchange_.sums[sum]);
      for (; open_ < exchange_.opens.size() && exchange_.opens[open_].at == o; ++open_) write(open_);
      if (o < function_.ops.size() && !adds_.contains(o)) copy(function_.ops[o]);
    }
    return builder_.finish(results());
  }

 private:
  ValueId at(ValueId id) const { return id == ValueId::none ? id : map_[ir::index(id)]; }
  const ir::Type& type(ValueId id) const {
    const size_t i = ir::index(id);
    return i < function_.values.size() ? values_[i].value.type : exchange_.extra[i - function_.values.size()].type;
  }
  std::vector<std::string> names_of(const std::vector<ValueId>& weights) const {
    std::vector<std::string> names;
    for (const ValueId id : weights) {
      const size_t i = ir::index(id);
      names.push_back(i < function_.values.size() ? function_.values[i].name
                                                  : exchange_.extra[i - function_.values.size()].name);
    }
    return names;
  }

  void copy(const ir::Op& op) {
    Values operands;
    for (const ValueId id : function_.inputs(op)) operands.push_back(at(id));
    const size_t first = ir::index(builder_.append(op.def, op.callee, op.attributes, operands, op.result_count));
    for (uint32_t i = 0; i < op.result_count; ++i) {
      const ir::Value& value = function_.values[op.first_result + i];
      const auto made        = static_cast<ValueId>(first + i);
      builder_.set_name(made, value.name);
      // A call renames devices, so that what is stated about them no longer holds.
      if (value.annotation != nullptr && !ir::device_of(*value.annotation).placed())
        builder_.annotate(made, value.annotation);
      map_[op.first_result + i] = made;
    }
  }

  void write(const CallExchange::Sum& sum) {
    std::vector<ReplicaExchange::Member> members;
    const size_t count = sum.gradients.size() / sum.devices.size();
    for (size_t rank = 0; rank < sum.devices.size(); ++rank) {
      ReplicaExchange::Member& member = members.emplace_back(ReplicaExchange::Member{sum.devices[rank], {}, {}});
      for (size_t i = rank * count; i < (rank + 1) * count; ++i) {
        member.values.push_back(at(sum.gradients[i]));
        member.types.push_back(type(sum.gradients[i]));
      }
      hand_over(member.device);
    }
    const Values reduced = messages_.sum(members);
    if (sum.packed) {
      packed_.insert(packed_.end(), reduced.begin(), reduced.end());
      return;
    }
    for (size_t rank = 0; rank < reduced.size(); ++rank)
      join(sum, rank * count, messages_.unpack_sums(reduced[rank], members[rank].types), sum.devices[rank]);
  }

  // The parts of one microbatch, of the gradients from `first` on, join those before them, where they arrive.
  void join(const CallExchange::Sum& sum, size_t first, const Values& parts, const ir::Device& device) {
    for (size_t i = 0; i < parts.size(); ++i) {
      ValueId joined = parts[i], replaced = sum.gradients[first + i];
      if (sum.adds[first + i] != kNoOp) {
        const ir::Op& add = function_.ops[sum.adds[first + i]];
        joined            = builder_.op("Add", {at(function_.inputs(add)[0]), parts[i]});
        replaced          = function_.output(add, 0);
      }
      sums_[replaced] = joined;
      messages_.set_begun(device, joined);  // so that nothing keeps the part of the microbatch
    }
  }

  // Hands the weights over that are on their way to the device, before its next sum: behind that they would come late.
  void hand_over(const ir::Device& device) {
    for (size_t number = open_; number < exchange_.opens.size(); ++number) {
      const std::vector<ir::Device>& devices = exchange_.opens[number].devices;
      if (std::find(devices.begin(), devices.end(), device) == devices.end()) continue;
      if (arrived_[number].empty()) arrived_[number] = arrive(number, on_its_way(number));
    }
  }
  Values on_its_way(size_t number) const {
    Values arriving;
    for (const ValueId id : exchange_.opens[number].arriving) arriving.push_back(at(id));
    return arriving.empty() ? gathered_[number] : arriving;
  }
  Values arrive(size_t number, Values whole) {
    for (size_t rank = 0; rank < whole.size(); ++rank)
      whole[rank] = messages_.arrive(whole[rank], exchange_.opens[number].devices[rank]);
    return whole;
  }

  // The weights are there from here on, and the next ones on their way. In this order: a stream hands over what it has
  // when it comes to that, so behind the next gather it would do so late.
  void write(size_t number) {
    const CallExchange::Open& open = exchange_.opens[number];
    Values whole                   = arrived_[number];
    if (whole.empty()) {
      whole = on_its_way(number);
      if (whole.empty()) whole = gather(open.weights, open.devices);
      whole = arrive(number, std::move(whole));
    }
    if (!open.next.empty()) {
      Values next = gather(open.next, open.devices);
      if (open.next_open == kNoOp) {
        handed_on_.insert(handed_on_.end(), next.begin(), next.end());
      } else {
        gathered_[open.next_open] = std::move(next);
      }
    }
    const Values weights = messages_.unpack_gathered(whole, names_of(open.weights));
    for (size_t i = 0; i < weights.size(); ++i) {
      const ValueId held = i < open.held.size() ? open.held[i] : ValueId::none;
      map_[ir::index(open.weights[i])] =
          held != ValueId::none ? at(held)
                                : messages_.from_gathered(weights[i], type(open.weights[i]), open.devices.size());
    }
  }

  Values gather(const std::vector<ValueId>& weights, const std::vector<ir::Device>& devices) {
    std::vector<ReplicaExchange::Member> members;
    const size_t count = weights.size() / devices.size();
    for (size_t rank = 0; rank < devices.size(); ++rank) {
      ReplicaExchange::Member& member = members.emplace_back(ReplicaExchange::Member{devices[rank], {}, {}});
      for (size_t i = rank * count; i < (rank + 1) * count; ++i)
        member.values.push_back(messages_.to_gather(given_[ir::index(weights[i])], type(weights[i])));
    }
    return messages_.gather(members, names_of(weights));
  }

  Values results() const {
    Values all;
    for (const size_t i : exchange_.remaining(function_)) {
      const auto sum = sums_.find(function_.results[i]);
      all.push_back(sum != sums_.end() ? sum->second : at(function_.results[i]));
    }
    all.insert(all.end(), packed_.begin(), packed_.end());
    all.insert(all.end(), handed_on_.begin(), handed_on_.end());
    for (const ValueId id : exchange_.keeps) all.push_back(at(id));
    return all;
  }

  const ir::Function& function_;
  const interpret::Values<LaidOut>& values_;
  const CallExchange& exchange_;
  ir::FunctionBuilder builder_;
  ReplicaExchange messages_;
  std::vector<ValueId> map_, given_;  // by value of the function: now, and at the beginning
  std::set<size_t> adds_;
  std::map<ValueId, ValueId> sums_;  // that replace results
  size_t open_ = 0;                  // the next of `opens`
  std::vector<Values> gathered_;     // by number of the open: on its way
  std::vector<Values> arrived_;      // by number of the open: handed over before it
  Values packed_, handed_on_;
};

void append(std::string& key, size_t number) { key += std::to_string(number) + ","; }
void append(std::string& key, const std::vector<ValueId>& ids) {
  for (const ValueId id : ids) append(key, ir::index(id));
  key += ';';
}

}  // namespace

std::string CallExchange::key() const {
  std::string key;
  for (const Sum& sum : sums) {
    append(key, sum.at);
    append(key, sum.gradients);
    for (const size_t add : sum.adds) append(key, add);
    key += sum.packed ? "packed;" : ";";
  }
  for (const auto& [device, sum] : begun) key += ir::to_string(device) + "=" + std::to_string(ir::index(sum)) + ";";
  key += '|';
  for (const Open& open : opens) {
    append(key, open.at);
    append(key, open.weights);
    append(key, open.arriving);
    append(key, open.next);
    append(key, open.next_open);
    append(key, open.held);
  }
  append(key, keeps);
  for (const Extra& value : extra) key += ir::to_string(value.type) + ";";
  return key;
}

std::vector<size_t> CallExchange::remaining(const ir::Function& function) const {
  std::set<ValueId> gone;
  for (const Sum& sum : sums) {
    if (sum.packed) gone.insert(sum.gradients.begin(), sum.gradients.end());
  }
  std::vector<size_t> numbers;
  for (size_t i = 0; i < function.results.size(); ++i) {
    if (!gone.contains(function.results[i])) numbers.push_back(i);
  }
  return numbers;
}

ir::Function with_exchange(const ir::Function& function, const interpret::Values<LaidOut>& values,
                           const CallExchange& exchange, const ir::OpTable& ops, const DataParallel& how,
                           std::string name) {
  return CallWriter(function, values, exchange, ops, how, std::move(name)).run();
}

}  // namespace foreflow::transform
