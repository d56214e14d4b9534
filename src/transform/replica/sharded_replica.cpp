// Writes the program of one replica, with the exchanges that the plan demands: between the ops of the entry, and inside
// the functions of a pipeline's stages. Calls with equal exchanges share a function.
#include <algorithm>
#include <set>

#include "foreflow/ir/call_devices.h"
#include "foreflow/ir/uses.h"
#include "foreflow/ir/verify.h"
#include "foreflow/transform/replica.h"
#include "transform/replica/converted_weights.h"
#include "transform/replica/exchange_plan.h"
#include "transform/replica/replica_call.h"
#include "transform/replica/replica_exchange.h"
#include "transform/replica/replica_update.h"
#include "transform/replica/sharing_replica.h"
#include "transform/rewrite/drop_uncalled.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// The index of the first entry at op `o` or after it, in a list that is ascending by `at`.
template <class T>
size_t first_at(const std::vector<T>& list, size_t o) {
  const auto found =
      std::lower_bound(list.begin(), list.end(), o, [](const T& entry, size_t place) { return entry.at.op < place; });
  return static_cast<size_t>(found - list.begin());
}

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
        argument_(entry_.values.size(), kNoOp),
        converted_(how.float_gathers ? converted_weights(module, plan) : ConvertedWeights()) {
    made_.ways    = how.ways;
    made_.devices = 1;
    for (const LaidOut& value : values_) made_.devices = std::max(made_.devices, ir::device_of(value.value.type).index);
    const std::vector<int32_t> makers = ir::makers_of(entry_);
    for (const TrainedWeight& weight : plan.weights) {
      updated_.insert(weight.op);
      if (weight.taken != weight.gradient) updated_.insert(static_cast<size_t>(makers[ir::index(weight.taken)]));
      if (how.zero == 0) continue;
      flat_.insert(weight.states.begin(), weight.states.end());
      flat_.insert(weight.results.begin() + (how.zero == 3 ? 0 : 1), weight.results.end());
      if (how.zero == 3) flat_.insert(weight.weight);
    }
    std::map<ir::Device, size_t> last;
    for (size_t i = 0; i < plan.windows.size(); ++i) {
      const auto [found, first] = last.try_emplace(plan.windows[i].device, i);
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
      const CallExchange inside = exchange_inside(o);
      inside.empty() ? write(entry_.ops[o]) : write(o, inside);
    }
    std::vector<ValueId> results;
    for (const ValueId id : entry_.results) results.push_back(result(id));
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
    const Layout layout = flat_.contains(static_cast<ValueId>(i)) ? Layout::flat() : values_[i].layout;
    ir::Type local      = local_type(values_[i].value.type, layout, how_.ways);
    if (!ir::device_of(local).placed()) local = ir::moved(local, ir::Device(1));
    map_[i] = builder_.parameter(entry_.values[i].name, entry_.parameters[i], std::move(local));
    made_.parameters.push_back(layout);
  }

  // --- Between the ops of the entry ---

  void exchange_before(size_t o) {
    for (size_t b = first_at(plan_.buckets, o); b < plan_.buckets.size() && plan_.buckets[b].at.op == o; ++b) {
      const Bucket& bucket = plan_.buckets[b];
      if (bucket.inside) continue;
      ReplicaExchange::Values gradients;
      std::vector<ir::Type> types;
      for (const GradientPart& part : bucket.parts) {
        gradients.push_back(at(part.value));
        types.push_back(type(part.value));
      }
      hand_over(ir::device_of(types[0]));
      reduced_[b] = messages_.sum(gradients, types, ir::device_of(types[0]));
    }
    for (size_t w = first_at(plan_.windows, o); w < plan_.windows.size() && plan_.windows[w].at.op == o; ++w) {
      if (!plan_.windows[w].inside) open(w);
    }
    if (!plan_.empty() && o == plan_.update)
      write_update({builder_, entry_, plan_, values_, messages_, how_, map_, given_, reduced_});
  }

  // As CallWriter::hand_over.
  void hand_over(const ir::Device& device) {
    for (const auto& [window, whole] : gathered_) {
      const bool waits = !plan_.windows[window].inside && plan_.windows[window].device == device;
      if (waits && !is_open_.contains(window) && !arrived_.contains(window))
        arrived_[window] = messages_.arrive(whole, device);
    }
  }

  void gather(size_t window) {
    ReplicaExchange::Values rows;
    for (const size_t number : plan_.windows[window].weights)
      rows.push_back(messages_.to_gather(given_[ir::index(plan_.weights[number].weight)], weight_type(number)));
    gathered_[window] = messages_.gather(rows, names(window), plan_.windows[window].device);
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
    const ValueId whole =
        arrived != arrived_.end() ? arrived->second : messages_.arrive(gathered_.at(window), what.device);
    if (how_.overlap && how_.prefetch && next_[window] != kNoOp) gather(next_[window]);
    const auto weights = messages_.unpack_gathered(whole, names(window));
    for (size_t i = 0; i < weights.size(); ++i) {
      const size_t number = what.weights[i];
      const bool converts = messages_.widens(weight_type(number));
      if (converts && !is_repeated(what, number) && !here_.insert(number).second) continue;
      map_[ir::index(plan_.weights[number].weight)] = messages_.from_gathered(weights[i], weight_type(number));
    }
  }
  static bool is_repeated(const Window& window, size_t weight) {
    return std::binary_search(window.repeated.begin(), window.repeated.end(), weight);
  }

  // --- Inside a call ---

  // The exchanges inside the call `o`. Sets `opened_` to its windows and `additional_` to its additional arguments.
  CallExchange exchange_inside(size_t o) {
    CallExchange inside;
    opened_.clear();
    additional_.clear();
    handed_on_.clear();
    kept_here_.clear();
    for (size_t b = first_at(plan_.buckets, o); b < plan_.buckets.size() && plan_.buckets[b].at.op == o; ++b) {
      if (!plan_.buckets[b].inside) continue;
      inside.sums.push_back(sum_inside(plan_.buckets[b]));
      add_begun(plan_.buckets[b], inside);
    }
    for (size_t w = first_at(plan_.windows, o); w < plan_.windows.size() && plan_.windows[w].at.op == o; ++w) {
      if (plan_.windows[w].inside) opened_.push_back(w);
    }
    if (opened_.empty()) return inside;
    const auto arguments = entry_.inputs(entry_.ops[o]);
    for (size_t i = arguments.size(); i-- > 0;) note_argument(arguments[i], i);  // the first of equal ones counts
    for (const size_t w : opened_) {
      inside.opens.push_back(open_inside(o, w, inside));
      if (how_.float_gathers) hold(o, w, inside);
    }
    add_kept(o, inside);
    for (const ValueId id : arguments) note_argument(id, kNoOp);
    return inside;
  }

  void note_argument(ValueId id, size_t position) {
    if (id != ValueId::none) argument_[ir::index(id)] = position;
  }

  const interpret::Values<LaidOut>& values_inside(size_t call) const {
    return layouts_.instances[static_cast<size_t>(layouts_.entry().callee[call])].values;
  }

  CallExchange::Sum sum_inside(const Bucket& bucket) const {
    CallExchange::Sum sum{bucket.at.inner, {}, {}, {}, !bucket.adds};
    for (const GradientPart& part : bucket.parts) {
      sum.gradients.push_back(part.inside);
      sum.adds.push_back(part.add);
    }
    sum.device = ir::device_of(values_inside(bucket.at.op)[ir::index(sum.gradients[0])].value.type);
    return sum;
  }

  // Notes the sum that the device of a bucket began last before the call: the running sum that the call gets anyway, or
  // an additional argument.
  void add_begun(const Bucket& bucket, CallExchange& inside) {
    const ValueId begun = messages_.begun(device_of(bucket));
    if (begun == ValueId::none || inside.begun.contains(inside.sums.back().device)) return;
    const auto arguments = entry_.inputs(entry_.ops[bucket.at.op]);
    const auto given = std::find_if(arguments.begin(), arguments.end(), [&](ValueId id) { return at(id) == begun; });
    inside.begun[inside.sums.back().device] =
        given != arguments.end() ? static_cast<ValueId>(given - arguments.begin())
                                 : additional(bucket.at.op, begun, {}, "begun", inside, ir::ParameterRole::data);
  }
  ir::Device device_of(const Bucket& bucket) const { return ir::device_of(type(bucket.parts.front().value)); }

  CallExchange::Open open_inside(size_t o, size_t window, CallExchange& inside) {
    const ir::Device device = device_inside(o, plan_.windows[window].device);
    CallExchange::Open open{plan_.windows[window].at.inner, device, weights_inside(o, window, device, inside)};
    if (gathered_.contains(window))
      open.arriving = additional(o, gathered_.at(window), {}, "arriving." + names(window)[0], inside);
    if (!how_.overlap || !how_.prefetch || next_[window] == kNoOp) return open;
    const size_t next = next_[window];
    open.next         = weights_inside(o, next, device, inside);
    const auto here   = std::find(opened_.begin(), opened_.end(), next);
    if (here == opened_.end()) {
      handed_on_.push_back(next);
    } else {
      open.next_open = static_cast<size_t>(here - opened_.begin());
    }
    return open;
  }

  // Which weights of the window that was opened last are not converted again.
  void hold(size_t o, size_t window, CallExchange& inside) {
    const Window& what        = plan_.windows[window];
    const size_t last         = inside.opens.size() - 1;
    const ir::Device device   = inside.opens[last].device;
    std::vector<ValueId> held = std::vector<ValueId>(what.weights.size(), ValueId::none);
    for (size_t i = 0; i < what.weights.size(); ++i) {
      const size_t number = what.weights[i];
      const auto source   = converted_.source.find({o, number});
      if (is_repeated(what, number) || !messages_.widens(weight_type(number))) continue;
      if (source != converted_.source.end()) {
        const ValueId weight = plan_.weights[number].weight;
        held[i]              = additional(o, kept_.at({source->second, number}), ir::moved(weight_type(number), device),
                                          "converted." + name_of(weight), inside, ir::ParameterRole::data);
      } else if (was_opened(number, last)) {
        held[i] = inside.opens[last].weights[i];
      }
    }
    inside.opens[last].held = std::move(held);
  }

  // Whether one of the first `count` windows of the call has the weight.
  bool was_opened(size_t number, size_t count) const {
    return std::any_of(opened_.begin(), opened_.begin() + static_cast<std::ptrdiff_t>(count), [&](size_t window) {
      const auto& weights = plan_.windows[window].weights;
      return std::find(weights.begin(), weights.end(), number) != weights.end();
    });
  }

  // The weights that the backward pass of the microbatch reads as this call converts them.
  void add_kept(size_t o, CallExchange& inside) {
    const auto found = converted_.kept.find(o);
    if (found == converted_.kept.end()) return;
    for (const size_t number : found->second) {
      if (!messages_.widens(weight_type(number))) continue;
      for (size_t w = opened_.size(); w-- > 0;) {
        const auto& weights = plan_.windows[opened_[w]].weights;
        const auto at       = std::find(weights.begin(), weights.end(), number);
        if (at == weights.end()) continue;
        inside.keeps.push_back(inside.opens[w].weights[static_cast<size_t>(at - weights.begin())]);
        kept_here_.push_back(number);
        break;
      }
    }
  }

  // The device of the called function that stands for `device` of the entry.
  ir::Device device_inside(size_t call, const ir::Device& device) const {
    const interpret::DeviceMap& map = layouts_.entry().maps[call];
    const auto found                = std::find(map.begin(), map.end(), device.index);
    return found == map.end() ? device : ir::Device(static_cast<int32_t>(found - map.begin()) + 1);
  }

  std::vector<ValueId> weights_inside(size_t call, size_t window, const ir::Device& device, CallExchange& inside) {
    std::vector<ValueId> ids;
    for (const size_t number : plan_.windows[window].weights) {
      const ValueId weight  = plan_.weights[number].weight;
      const size_t argument = argument_[ir::index(weight)];
      if (argument != kNoOp) {
        ids.push_back(static_cast<ValueId>(argument));
      } else {
        ids.push_back(additional(call, given_[ir::index(weight)], ir::moved(weight_type(number), device),
                                 name_of(weight), inside));
      }
    }
    return ids;
  }

  ValueId additional(size_t call, ValueId value, const ir::Type& type, std::string name, CallExchange& inside,
                     ir::ParameterRole role = ir::ParameterRole::weight) {
    const size_t own   = module_.functions[static_cast<size_t>(entry_.ops[call].callee)].values.size();
    const auto found   = std::find(additional_.begin(), additional_.end(), value);
    const auto ordinal = static_cast<size_t>(found - additional_.begin());
    if (found == additional_.end()) {
      additional_.push_back(value);
      inside.extra.push_back({type, std::move(name), role});
    }
    return static_cast<ValueId>(own + ordinal);
  }

  void write(size_t o, const CallExchange& inside) {
    const ir::Op& op             = entry_.ops[o];
    const ir::Function& function = module_.functions[static_cast<size_t>(op.callee)];
    const int32_t instance       = layouts_.entry().callee[o];
    const auto [variant, fresh] =
        variants_.try_emplace({instance, inside.key()}, static_cast<int32_t>(made_.module.functions.size()));
    if (fresh) {
      made_.module.functions.push_back(
          with_exchange(function, values_inside(o), inside, ops_, how_, unused_name(function.name + "_exchange")));
    }
    std::vector<ValueId> arguments;
    for (const ValueId id : entry_.inputs(op)) {
      const bool parted = how_.zero == 3 && id != ValueId::none && flat_.contains(id);
      arguments.push_back(parted ? given_[ir::index(id)] : at(id));
    }
    arguments.insert(arguments.end(), additional_.begin(), additional_.end());
    const std::vector<size_t> remaining = inside.remaining(function);
    const auto packed                   = static_cast<size_t>(
        std::count_if(inside.sums.begin(), inside.sums.end(), [](const CallExchange::Sum& sum) { return sum.packed; }));
    const size_t count = remaining.size() + packed + handed_on_.size() + inside.keeps.size();
    size_t made        = ir::index(builder_.append(nullptr, variant->second, devices_stated(o), arguments, count));
    for (const size_t i : remaining) keep(op.first_result + i, static_cast<ValueId>(made++));
    for (size_t b = first_at(plan_.buckets, o); b < plan_.buckets.size() && plan_.buckets[b].at.op == o; ++b) {
      const Bucket& bucket = plan_.buckets[b];
      if (!bucket.inside) continue;
      if (!bucket.adds) reduced_[b] = static_cast<ValueId>(made++);
      messages_.set_begun(device_of(bucket), bucket.adds ? at(bucket.parts.back().value) : reduced_[b]);
    }
    for (const size_t window : handed_on_) gathered_[window] = static_cast<ValueId>(made++);
    for (const size_t number : kept_here_) kept_[{o, number}] = static_cast<ValueId>(made++);
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
    if (op.is_call()) return found;
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

  ValueId result(ValueId id) {
    const LaidOut& value = values_[ir::index(id)];
    if (flat_.contains(id)) {
      made_.results.push_back({Layout::flat(), value.value.type.dims});
      return at(id);
    }
    const bool partial = value.layout.is_partial();
    made_.results.push_back({partial ? Layout::whole() : value.layout, {}});
    return partial ? sum(ir::index(id)) : at(id);
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
  std::set<size_t> updated_;                             // ops that the update replaces
  std::set<ValueId> flat_;                               // parameters and results
  std::vector<ValueId> map_, given_;                     // by value of the entry: now, and at the beginning
  std::vector<size_t> next_;                             // by window: the next one of its device
  std::map<size_t, ValueId> reduced_, gathered_, sums_;  // by bucket, window, value
  std::map<size_t, ValueId> arrived_;                    // by window: handed over before it is opened
  std::set<size_t> is_open_;                             // windows
  std::map<std::pair<int32_t, std::string>, int32_t> variants_;
  std::vector<size_t> opened_, handed_on_;  // windows of the call at hand
  std::vector<ValueId> additional_;         // arguments of the call at hand
  std::vector<size_t> kept_here_;           // weights that the call at hand keeps converted
  std::vector<size_t> argument_;            // by value of the entry: its position among those; kNoOp: none
  const ConvertedWeights converted_;
  std::set<size_t> here_;                              // weights that are converted in the entry
  std::map<std::pair<size_t, size_t>, ValueId> kept_;  // by call and weight: as it was converted there
};

}  // namespace

OneReplica sharing_replica(const ir::Module& module, const LayoutInterpretation& layouts, const ir::OpTable& ops,
                           const DataParallel& how) {
  return ReplicaWriter(module, plan_exchange(module, layouts, how), layouts, ops, how).run();
}

}  // namespace foreflow::transform
