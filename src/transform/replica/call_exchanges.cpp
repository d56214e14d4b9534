#include "transform/replica/call_exchanges.h"

#include <algorithm>

#include "foreflow/base/nth.h"
#include "transform/replica/plan_lookup.h"

namespace foreflow::transform {

using ir::ValueId;

CallExchangeFinder::CallExchangeFinder(const EntrySoFar& so_far)
    : so_far_(so_far), entry_(so_far.module.entry()), argument_(entry_.values.size(), kNoOp) {}

CallExchanges CallExchangeFinder::of(size_t o) {
  call_ = o;
  opened_.clear();
  found_ = {};
  add_sums();
  const auto& windows = so_far_.plan.windows;
  for (size_t w = first_at(windows, o); w < windows.size() && windows[w].at.op == o; ++w) {
    if (windows[w].inside) opened_.push_back(w);
  }
  if (!opened_.empty()) add_opens();
  return std::move(found_);
}

const ir::Type& CallExchangeFinder::type(ValueId id) const {
  return so_far_.layouts.entry().values[ir::index(id)].value.type;
}

void CallExchangeFinder::add_sums() {
  const auto& buckets = so_far_.plan.buckets;
  for (size_t b = first_at(buckets, call_); b < buckets.size() && buckets[b].at.op == call_; ++b) {
    const Bucket& bucket = buckets[b];
    if (!bucket.inside) continue;
    CallExchange::Sum sum{bucket.at.inner, {}, {}, {}, !bucket.adds};
    for (const GradientPart& part : bucket.parts) {
      sum.gradients.push_back(part.inside);
      sum.adds.push_back(part.add);
    }
    const auto callee  = static_cast<size_t>(so_far_.layouts.entry().callee[call_]);
    const auto& values = so_far_.layouts.instances[callee].values;
    for (size_t rank = 0; rank < bucket.ranks; ++rank)
      sum.devices.push_back(ir::device_of(values[ir::index(bucket.part(rank, 0).inside)].value.type));
    found_.inside.sums.push_back(std::move(sum));
    for (size_t rank = 0; rank < bucket.ranks; ++rank)
      add_begun(found_.inside.sums.back().devices[rank], ir::device_of(type(bucket.part(rank, 0).value)));
  }
}

// Notes the sum that the device, which is `device` inside, began last before the call: the running sum that the call
// gets anyway, or an additional argument.
void CallExchangeFinder::add_begun(const ir::Device& device, const ir::Device& outside) {
  CallExchange& inside = found_.inside;
  const ValueId begun  = so_far_.messages.begun(outside);
  if (begun == ValueId::none || inside.begun.contains(device)) return;
  const auto arguments = entry_.inputs(entry_.ops[call_]);
  const auto given     = std::find_if(arguments.begin(), arguments.end(), [&](ValueId id) {
    return id != ValueId::none && so_far_.map[ir::index(id)] == begun;
  });
  inside.begun[device] = given != arguments.end() ? static_cast<ValueId>(given - arguments.begin())
                                                  : additional(begun, {}, "begun", ir::ParameterRole::data);
}

void CallExchangeFinder::add_opens() {
  const auto arguments = entry_.inputs(entry_.ops[call_]);
  const auto note      = [&](ValueId id, size_t position) {
    if (id != ValueId::none) argument_[ir::index(id)] = position;
  };
  for (size_t i = arguments.size(); i-- > 0;) note(arguments[i], i);  // the first of equal ones counts
  for (const size_t w : opened_) {
    found_.inside.opens.push_back(open(w));
    if (so_far_.how.float_gathers) hold(w);
  }
  add_kept();
  for (const ValueId id : arguments) note(id, kNoOp);
}

CallExchange::Open CallExchangeFinder::open(size_t opened) {
  const Window& what = window(opened);
  std::vector<ir::Device> devices;
  for (const ir::Device& device : what.ranks) devices.push_back(device_inside(device));
  CallExchange::Open open{what.at.inner, devices, weights_inside(opened, devices)};
  const auto gathered = so_far_.gathered.find(opened);
  if (gathered != so_far_.gathered.end()) {
    for (size_t rank = 0; rank < devices.size(); ++rank)
      open.arriving.push_back(
          additional(gathered->second[rank], {}, "arriving." + name_of(what.weights[rank * what.count()])));
  }
  const size_t next = so_far_.next[opened];
  if (!so_far_.how.overlap || !so_far_.how.prefetch || next == kNoOp) return open;
  open.next       = weights_inside(next, devices);
  const auto here = std::find(opened_.begin(), opened_.end(), next);
  if (here == opened_.end()) {
    found_.handed_on.push_back(next);
  } else {
    open.next_open = static_cast<size_t>(here - opened_.begin());
  }
  return open;
}

// Which weights of the window that was opened last are not converted again.
void CallExchangeFinder::hold(size_t opened) {
  const Window& what        = window(opened);
  const size_t last         = found_.inside.opens.size() - 1;
  std::vector<ValueId> held = std::vector<ValueId>(what.weights.size(), ValueId::none);
  for (size_t i = 0; i < what.weights.size(); ++i) {
    const size_t number = what.weights[i];
    const auto source   = so_far_.converted.source.find({call_, number});
    if (is_repeated(what, number) || !so_far_.messages.widens(weight_type(number))) continue;
    if (source != so_far_.converted.source.end()) {
      const ir::Device device = found_.inside.opens[last].devices[i / what.count()];
      held[i] = additional(so_far_.kept.at({source->second, number}), ir::moved(weight_type(number), device),
                           "converted." + name_of(number), ir::ParameterRole::data);
    } else if (was_opened(number, last)) {
      held[i] = found_.inside.opens[last].weights[i];
    }
  }
  found_.inside.opens[last].held = std::move(held);
}

// Returns true if one of the first `count` windows of the call has the weight.
bool CallExchangeFinder::was_opened(size_t number, size_t count) const {
  return std::any_of(opened_.begin(), opened_.begin() + static_cast<std::ptrdiff_t>(count), [&](size_t opened) {
    const auto& weights = window(opened).weights;
    return std::find(weights.begin(), weights.end(), number) != weights.end();
  });
}

// The weights that the backward pass of the microbatch reads as this call converts them.
void CallExchangeFinder::add_kept() {
  const auto found = so_far_.converted.kept.find(call_);
  if (found == so_far_.converted.kept.end()) return;
  for (const size_t number : found->second) {
    if (!so_far_.messages.widens(weight_type(number))) continue;
    for (size_t w = opened_.size(); w-- > 0;) {
      const auto& weights = window(opened_[w]).weights;
      const auto at       = std::find(weights.begin(), weights.end(), number);
      if (at == weights.end()) continue;
      found_.inside.keeps.push_back(nth(found_.inside.opens[w].weights, at - weights.begin()));
      found_.kept.push_back(number);
      break;
    }
  }
}

// The device of the called function that stands for `device` of the entry.
ir::Device CallExchangeFinder::device_inside(const ir::Device& device) const {
  const interpret::DeviceMap& map = so_far_.layouts.entry().maps[call_];
  const auto found                = std::find(map.begin(), map.end(), device.index);
  return found == map.end() ? device : ir::Device(static_cast<int32_t>(found - map.begin()) + 1);
}

std::vector<ValueId> CallExchangeFinder::weights_inside(size_t opened, const std::vector<ir::Device>& devices) {
  const Window& what = window(opened);
  std::vector<ValueId> ids;
  for (size_t i = 0; i < what.weights.size(); ++i) {
    const size_t number   = what.weights[i];
    const size_t weight   = ir::index(so_far_.plan.weights[number].weight);
    const size_t argument = argument_[weight];
    ids.push_back(argument != kNoOp
                      ? static_cast<ValueId>(argument)
                      : additional(so_far_.given[weight], ir::moved(weight_type(number), devices[i / what.count()]),
                                   name_of(number)));
  }
  return ids;
}

ValueId CallExchangeFinder::additional(ValueId value, const ir::Type& type, std::string name, ir::ParameterRole role) {
  const size_t own   = nth(so_far_.module.functions, entry_.ops[call_].callee).values.size();
  auto& arguments    = found_.additional;
  const auto found   = std::find(arguments.begin(), arguments.end(), value);
  const auto ordinal = static_cast<size_t>(found - arguments.begin());
  if (found == arguments.end()) {
    arguments.push_back(value);
    found_.inside.extra.push_back({type, std::move(name), role});
  }
  return static_cast<ValueId>(own + ordinal);
}

}  // namespace foreflow::transform
