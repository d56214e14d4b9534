// Writes the program of one replica, with the exchanges that the plan demands: between the ops of the entry, and inside
// the functions of a pipeline's stages. Calls with equal exchanges share a function.
#include <algorithm>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/ir/call_devices.h"
#include "foreflow/ir/uses.h"
#include "foreflow/ir/verify.h"
#include "foreflow/transform/replica.h"
#include "transform/replica/call_exchanges.h"
#include "transform/replica/held_values.h"
#include "transform/replica/plan_lookup.h"
#include "transform/replica/replica_update.h"
#include "transform/replica/sharing_replica.h"
#include "transform/rewrite/drop_uncalled.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;
using Values = ReplicaExchange::Values;
using Member = ReplicaExchange::Member;

class ReplicaWriter {
 public:
  ReplicaWriter(const ir::Module& module, const ExchangePlan& plan, const LayoutInterpretation& layouts,
                const ir::OpTable& ops, const DataParallel& how)
      : module_(module),
        entry_(module.entry()),
        plan_(plan),
        layouts_(layouts),
        values_(layouts.entry().values),
        ops_(ops),
        how_(how),
        judge_(how.ways),
        builder_(entry_.name, ops),
        messages_(builder_, how),
        map_(entry_.values.size(), ValueId::none),
        next_(plan.windows.size(), kNoOp),
        converted_(how.float_gathers ? converted_weights(module, plan) : ConvertedWeights()),
        held_(plan, how),
        inside_calls_({module, plan, layouts, how_, messages_, converted_, map_, given_, next_, gathered_, kept_}) {
    made_.ways    = how.ways;
    made_.devices = 1;
    for (const LaidOut& value : values_) made_.devices = std::max(made_.devices, ir::device_of(value.value.type).index);
    for (const TrainedWeight& weight : plan.weights) {
      updated_.insert(weight.op);
      updated_.insert(weight.sums.begin(), weight.sums.end());
    }
    std::map<std::vector<ir::Device>, size_t> last;
    for (size_t i = 0; i < plan.windows.size(); ++i) {
      const auto [found, first] = last.try_emplace(plan.windows[i].ranks, i);
      if (!first) next_[std::exchange(found->second, i)] = i;
    }
  }

  OneReplica run() {
    made_.module.source    = module_.source;
    made_.module.functions = {module_.functions.begin(), module_.functions.end() - 1};
    for (size_t i = 0; i < entry_.parameters.size(); ++i) parameter(i);
    given_ = map_;
    for (size_t o = 0; o <= entry_.ops.size(); ++o) {
      exchange_before(o);
      if (o == entry_.ops.size() || updated_.contains(o)) continue;
      const CallExchanges exchanges = inside_calls_.of(o);
      exchanges.inside.empty() ? write(entry_.ops[o]) : write(o, exchanges);
    }
    std::vector<ValueId> results;
    for (size_t i = 0; i < entry_.results.size(); ++i) result(i, results);
    made_.module.functions.push_back(builder_.finish(std::move(results)));
    made_.module = drop_uncalled(std::move(made_.module));
    ir::verify(made_.module, ir::Names::unique);
    return std::move(made_);
  }

 private:
  const ir::Type& type(ValueId id) const { return values_[ir::index(id)].value.type; }
  const ir::Type& weight_type(size_t number) const { return type(plan_.weights[number].weight); }
  ValueId at(ValueId id) const { return id == ValueId::none ? id : map_[ir::index(id)]; }

  void parameter(size_t i) {
    const OneReplica::Held held = held_.of_parameter(static_cast<ValueId>(i), values_[i].layout);
    const int parts             = how_.ways * (held.layout.is_flat() ? held.ranks : 1);
    ir::Type local              = local_type(values_[i].value.type, held.layout, parts);
    if (!ir::device_of(local).placed()) local = ir::moved(local, ir::Device(1));
    map_[i] = builder_.parameter(entry_.values[i].name, entry_.parameters[i], std::move(local));
    made_.parameters.push_back(held);
  }

  // --- Between the ops of the entry ---

  void exchange_before(size_t o) {
    for (size_t b = first_at(plan_.buckets, o); b < plan_.buckets.size() && plan_.buckets[b].at.op == o; ++b) {
      const Bucket& bucket = plan_.buckets[b];
      if (bucket.inside) continue;
      std::vector<Member> members;
      for (size_t rank = 0; rank < bucket.ranks; ++rank) {
        Member& member = members.emplace_back(Member{device_of(bucket, rank), {}, {}});
        for (size_t i = 0; i < bucket.count(); ++i) {
          member.values.push_back(at(bucket.part(rank, i).value));
          member.types.push_back(type(bucket.part(rank, i).value));
        }
        hand_over(member.device);
      }
      reduced_[b] = messages_.sum(members);
    }
    for (size_t w = first_at(plan_.windows, o); w < plan_.windows.size() && plan_.windows[w].at.op == o; ++w) {
      if (!plan_.windows[w].inside) open(w);
    }
    if (!plan_.empty() && o == plan_.update)
      write_update({builder_, entry_, plan_, values_, messages_, how_, map_, given_, reduced_});
  }

  ir::Device device_of(const Bucket& bucket, size_t rank) const {
    return ir::device_of(type(bucket.part(rank, 0).value));
  }

  // As CallWriter::hand_over.
  void hand_over(const ir::Device& device) {
    for (const auto& [window, whole] : gathered_) {
      const std::vector<ir::Device>& ranks = plan_.windows[window].ranks;
      const bool waits = !plan_.windows[window].inside && std::count(ranks.begin(), ranks.end(), device) > 0;
      if (waits && !is_open_.contains(window) && !arrived_.contains(window)) arrived_[window] = arrive(window);
    }
  }

  // Returns the results of the gather of a window, on the main streams.
  Values arrive(size_t window) {
    Values whole = gathered_.at(window);
    for (size_t rank = 0; rank < whole.size(); ++rank)
      whole[rank] = messages_.arrive(whole[rank], plan_.windows[window].ranks[rank]);
    return whole;
  }

  void gather(size_t window) {
    const Window& what = plan_.windows[window];
    std::vector<Member> members;
    for (size_t rank = 0; rank < what.ranks.size(); ++rank) {
      Member& member = members.emplace_back(Member{what.ranks[rank], {}, {}});
      for (size_t i = 0; i < what.count(); ++i) {
        const size_t number = what.weights[rank * what.count() + i];
        member.values.push_back(
            messages_.to_gather(given_[ir::index(plan_.weights[number].weight)], weight_type(number)));
      }
    }
    gathered_[window] = messages_.gather(members, names(window));
  }

  std::vector<std::string> names(size_t window) const {
    std::vector<std::string> names;
    for (const size_t number : plan_.windows[window].weights) names.push_back(name_of(plan_.weights[number].weight));
    return names;
  }
  const std::string& name_of(ValueId id) const { return entry_.value(id).name; }

  // Makes the weights of a window available. replica_call.cpp does the same inside a call.
  void open(size_t window) {
    const Window& what = plan_.windows[window];
    if (!gathered_.contains(window)) gather(window);
    is_open_.insert(window);
    const auto arrived = arrived_.find(window);
    const Values whole = arrived != arrived_.end() ? arrived->second : arrive(window);
    if (how_.overlap && how_.prefetch && next_[window] != kNoOp) gather(next_[window]);
    const Values weights = messages_.unpack_gathered(whole, names(window));
    for (size_t i = 0; i < weights.size(); ++i) {
      const size_t number = what.weights[i];
      const bool converts = messages_.widens(weight_type(number));
      if (converts && !is_repeated(what, number) && !here_.insert(number).second) continue;
      map_[ir::index(plan_.weights[number].weight)] =
          messages_.from_gathered(weights[i], weight_type(number), what.ranks.size());
    }
  }

  // --- Calls with exchanges inside ---

  void write(size_t o, const CallExchanges& exchanges) {
    const CallExchange& inside   = exchanges.inside;
    const ir::Op& op             = entry_.ops[o];
    const ir::Function& function = nth(module_.functions, op.callee);
    const int32_t instance       = layouts_.entry().callee[o];
    const auto [variant, fresh] =
        variants_.try_emplace({instance, inside.key()}, static_cast<int32_t>(made_.module.functions.size()));
    if (fresh) {
      made_.module.functions.push_back(with_exchange(function, nth(layouts_.instances, instance).values, inside, ops_,
                                                     how_, unused_name(function.name + "_exchange")));
    }
    std::vector<ValueId> arguments;
    for (const ValueId id : entry_.inputs(op)) {
      const bool parted = how_.zero == 3 && id != ValueId::none && held_.is_flat(id);
      arguments.push_back(parted ? given_[ir::index(id)] : at(id));
    }
    arguments.insert(arguments.end(), exchanges.additional.begin(), exchanges.additional.end());
    const std::vector<size_t> remaining = inside.remaining(function);
    size_t count                        = remaining.size() + inside.keeps.size();
    for (const CallExchange::Sum& sum : inside.sums) count += sum.packed ? sum.devices.size() : 0;
    for (const size_t window : exchanges.handed_on) count += plan_.windows[window].ranks.size();
    size_t made = ir::index(builder_.append(nullptr, variant->second, devices_stated(o), arguments, count));
    for (const size_t i : remaining) keep(op.first_result + i, static_cast<ValueId>(made++));
    for (size_t b = first_at(plan_.buckets, o); b < plan_.buckets.size() && plan_.buckets[b].at.op == o; ++b) {
      const Bucket& bucket = plan_.buckets[b];
      if (!bucket.inside) continue;
      for (size_t rank = 0; rank < bucket.ranks; ++rank) {
        if (!bucket.adds) reduced_[b].push_back(static_cast<ValueId>(made++));
        messages_.set_begun(device_of(bucket, rank),
                            bucket.adds ? at(bucket.part(rank, bucket.count() - 1).value) : reduced_[b].back());
      }
    }
    for (const size_t window : exchanges.handed_on) {
      for (size_t rank = 0; rank < plan_.windows[window].ranks.size(); ++rank)
        gathered_[window].push_back(static_cast<ValueId>(made++));
    }
    for (const size_t number : exchanges.kept) kept_[{o, number}] = static_cast<ValueId>(made++);
  }

  // The attributes of the call `o`. A function with streams of communication names devices, so its calls state them.
  ir::AttributesRef devices_stated(size_t o) {
    const interpret::DeviceMap& map = layouts_.entry().maps[o];
    const ir::Op& op                = entry_.ops[o];
    if (!how_.overlap || ir::call_devices(op) != nullptr || map.empty()) return op.attributes;
    return builder_.share({{std::string(ir::kCallDevices), std::vector<int64_t>(map.begin(), map.end())}});
  }

  std::string unused_name(const std::string& name) const {
    const auto taken = [&](const std::string& candidate) {
      return candidate == entry_.name || made_.module.find(candidate) != nullptr;
    };
    if (!taken(name)) return name;
    int number = 2;
    while (taken(name + "_" + std::to_string(number))) ++number;
    return name + "_" + std::to_string(number);
  }

  // --- Ops that need no change ---

  void write(const ir::Op& op) {
    const std::vector<ValueId> inputs = operands(op);
    const size_t first = ir::index(builder_.append(op.def, op.callee, op.attributes, inputs, op.result_count));
    for (uint32_t i = 0; i < op.result_count; ++i) keep(op.first_result + i, static_cast<ValueId>(first + i));
  }

  void keep(size_t value, ValueId copy) {
    map_[value] = copy;
    builder_.set_name(copy, entry_.values[value].name);
    builder_.annotate(copy, entry_.values[value].annotation);
  }

  // The operands of an op. A sum over the replicas is emitted just before its first use, so that ops that do not wait
  // for it come first.
  std::vector<ValueId> operands(const ir::Op& op) {
    std::vector<ValueId> found;
    const auto inputs = entry_.inputs(op);
    for (const ValueId id : inputs) found.push_back(at(id));
    if (op.is_call() || how_.ways == 1) return found;
    const Verdict& verdict = judge_(entry_, op, values_);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == ValueId::none || values_[ir::index(inputs[i])].layout == verdict.decision.inputs[i]) continue;
      if (!values_[ir::index(inputs[i])].layout.is_partial())
        mixes_samples(module_, entry_, op, values_, how_.ways, "replicas");
      found[i] = sum(ir::index(inputs[i]));
    }
    return found;
  }

  ValueId sum(size_t value) {
    const auto [found, fresh] = sums_.try_emplace(value);
    if (fresh)
      found->second = builder_.op("MPIAllreduce", {map_[value]}, {{std::string(ir::kReplicas), int64_t{how_.ways}}});
    return found->second;
  }

  void result(size_t i, std::vector<ValueId>& results) {
    const ValueId id     = entry_.results[i];
    const auto source    = static_cast<int32_t>(i);
    const LaidOut& value = values_[ir::index(id)];
    if (held_.is_flat(id)) {
      const std::vector<ValueId> rows = held_.rows_of(id);
      for (size_t rank = 0; rank < rows.size(); ++rank) {
        made_.results.push_back(
            {{Layout::flat(), static_cast<int>(rows.size()), static_cast<int>(rank)}, source, value.value.type.dims});
        results.push_back(at(rows[rank]));
      }
      return;
    }
    const bool partial = value.layout.is_partial() && how_.ways > 1;
    made_.results.push_back({{value.layout.is_partial() ? Layout::whole() : value.layout}, source});
    results.push_back(partial ? sum(ir::index(id)) : at(id));
  }

  const ir::Module& module_;
  const ir::Function& entry_;
  const ExchangePlan& plan_;
  const LayoutInterpretation& layouts_;
  const interpret::Values<LaidOut>& values_;
  const ir::OpTable& ops_;
  const DataParallel how_;
  Judge judge_;
  ir::FunctionBuilder builder_;
  ReplicaExchange messages_;
  OneReplica made_;
  std::set<size_t> updated_;                     // ops that the update replaces
  std::vector<ValueId> map_, given_;             // by value of the entry: now, and at the beginning
  std::vector<size_t> next_;                     // by window: the next one of its device
  std::map<size_t, Values> reduced_, gathered_;  // by bucket, window: of every rank
  std::map<size_t, Values> arrived_;             // by window: handed over before it is opened
  std::map<size_t, ValueId> sums_;               // by value
  std::set<size_t> is_open_;                     // windows
  std::map<std::pair<int32_t, std::string>, int32_t> variants_;
  const ConvertedWeights converted_;
  const HeldValues held_;
  std::set<size_t> here_;                              // weights that are converted in the entry
  std::map<std::pair<size_t, size_t>, ValueId> kept_;  // by call and weight: as it was converted there
  CallExchangeFinder inside_calls_;
};

}  // namespace

OneReplica sharing_replica(const ir::Module& module, const LayoutInterpretation& layouts, const ir::OpTable& ops,
                           const DataParallel& how) {
  return ReplicaWriter(module, plan_exchange(module, layouts, how), layouts, ops, how).run();
}

}  // namespace foreflow::transform
