// The abstract interpreter of DistIR (Santhanam et al., 2021, Algorithm 1), generic over the domain of values. It knows
// functions, calls and devices; the domain defines what an op does to values.
//
// A call is interpreted once per distinct signature: arguments that differ only in their devices give the same result
// up to a renaming of devices, so 96 equal layers on 8 devices cost one interpretation. If the domain can compare
// values cheaply, an op on equal values is interpreted once, too.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <new>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/interpret/step_memo.h"
#include "foreflow/ir/call_devices.h"
#include "foreflow/ir/countable.h"

namespace foreflow::interpret {

// The interpretation of a function for one signature.
template <class Value>
struct Instance {
  size_t function;       // index into Module::functions
  Values<Value> values;  // by ValueId
  // Per op that is a call: the index of the called instance, and the devices of this instance that its devices stand
  // for. Empty if the function has no calls.
  std::vector<int32_t> callee;
  std::vector<DeviceMap> maps;
};

template <class Value>
struct Interpretation {
  std::vector<Instance<Value>> instances;  // callees before callers; the entry is the last one, on real devices
  const Instance<Value>& entry() const { return instances.back(); }
};

// The caller's device for `device` of an instance.
inline ir::Device renamed(const ir::Device& device, const DeviceMap& map) {
  if (!device.placed()) return device;
  ir::Device outside = device;
  outside.index      = nth(map, device.index - 1);
  return outside;
}

// Per function: whether its body names a device, as in Send(%x, 2), directly or in a callee. Such a function means the
// same devices in every call, so its devices are not renamed unless the call states devices (ir/call_devices.h).
std::vector<bool> functions_naming_devices(const ir::Module& module);

// A Domain has these members:
//
//   // The type of values; copyable.
//   using Value = ...;
//   // The results of `op`. May throw Error; the interpreter adds the place in the program.
//   std::vector<Value> apply(const ir::Op& op, std::span<const Value> inputs) const;
//   // The value of an absent operand.
//   Value absent() const;
//   // `value` with what its annotation adds. Throws Error if they contradict each other.
//   Value refine(Value value, const ir::Type& annotation) const;
//   // Calls f(ir::Device&) for each device in `value`.
//   template <class F> void visit_devices(Value& value, F f) const;
//   // Appends bytes that are equal if and only if the values are.
//   void append_key(const Value& value, std::string& key) const;
//   // Optional: `apply` depends on nothing but the keys of its inputs, and keys are cheap.
//   static constexpr bool kMemoised = true;
template <class Domain>
class Interpreter {
 public:
  using Value = typename Domain::Value;

  Interpreter(const ir::Module& module, Domain domain)
      : module_(module), domain_(std::move(domain)), names_devices_(functions_naming_devices(module)) {}

  // Interprets function number `entry` on `arguments`. Throws Error naming the function, line and op.
  Interpretation<Value> run(size_t entry, std::vector<Value> arguments) {
    result_ = {};
    memo_.clear();
    used_.clear();
    steps_ = {};
    interpret(entry, std::move(arguments));
    return std::move(result_);
  }

 private:
  // Bounds the time of hostile programs: forty functions, each of which calls the next twice with different shapes.
  static constexpr size_t kMostInstances = 100'000;

  // Returns the number of the new instance.
  int32_t interpret(size_t number, std::vector<Value> arguments) {
    const ir::Function& function = module_.functions[number];
    if (result_.instances.size() >= kMostInstances) {
      throw Error(module_.source + ": @" + function.name,
                  "its calls have more than " + std::to_string(kMostInstances) + " different signatures");
    }
    if (arguments.size() != function.parameters.size()) {
      throw Error(module_.source + ": @" + function.name, "takes " + std::to_string(function.parameters.size()) +
                                                              " arguments, not " + std::to_string(arguments.size()));
    }
    Instance<Value> instance{number, Values<Value>(steps_.distinct()), {}, {}};
    if (std::any_of(function.ops.begin(), function.ops.end(), [](const ir::Op& op) { return op.is_call(); })) {
      instance.callee.assign(function.ops.size(), -1);
      instance.maps.resize(function.ops.size());
    }
    instance.values.reserve(function.values.size());
    for (size_t i = 0; i < arguments.size(); ++i) {
      refine(arguments[i], function.values[i],
             [&] { return module_.source + ": @" + function.name + ": %" + function.values[i].name; });
      instance.values.push_back(steps_.number(domain_, std::move(arguments[i])));
    }
    for (size_t o = 0; o < function.ops.size(); ++o) {
      if constexpr (Memoised<Domain>) {
        recall(instance, o);
      } else {
        compute(instance, o);
      }
    }
    result_.instances.push_back(std::move(instance));
    return static_cast<int32_t>(result_.instances.size() - 1);
  }

  // Appends the results of op number `o` to the values.
  void compute(Instance<Value>& instance, size_t o) {
    const ir::Function& function = module_.functions[instance.function];
    const ir::Op& op             = function.ops[o];
    std::vector<Value> inputs;
    inputs.reserve(op.operand_count);
    for (const ir::ValueId id : function.inputs(op))
      inputs.push_back(id == ir::ValueId::none ? domain_.absent() : instance.values[ir::index(id)]);
    std::vector<Value> outputs = op.is_call() ? call(instance, o, inputs) : apply(function, op, inputs);
    for (size_t i = 0; i < outputs.size(); ++i) {
      refine(outputs[i], function.values[op.first_result + i], [&] { return ir::describe(module_, function, op); });
      instance.values.push_back(steps_.number(domain_, std::move(outputs[i])));
    }
  }

  // The same, reusing the results of an equal step if there was one.
  void recall(Instance<Value>& instance, size_t o) {
    const ir::Function& function = module_.functions[instance.function];
    const ir::Op& op             = function.ops[o];
    const size_t known           = steps_.steps();
    const uint32_t number        = steps_.find(function, op, instance.values);
    if (number == known) {
      compute(instance, o);
      typename StepMemo<Domain>::Step made;
      for (size_t i = 0; i < op.result_count; ++i) made.results.push_back(instance.values.number(op.first_result + i));
      if (op.is_call()) {
        made.callee = instance.callee[o];
        made.map    = instance.maps[o];
      }
      steps_.keep(number, std::move(made));
      return;
    }
    const auto& step = steps_.step(number);
    for (const uint32_t result : step.results) instance.values.push_back(result);
    if (!op.is_call()) return;
    instance.callee[o] = step.callee;
    instance.maps[o]   = step.map;
  }

  std::vector<Value> apply(const ir::Function& function, const ir::Op& op, std::span<const Value> inputs) {
    try {
      std::vector<Value> outputs = domain_.apply(op, inputs);
      if (outputs.size() != op.result_count) {
        throw ir::OpError(op.def->name, "gives " + std::to_string(outputs.size()) + " results, not " +
                                            std::to_string(op.result_count));
      }
      return outputs;
    } catch (const ir::OpError& error) {
      throw Error(ir::describe(module_, function, op), error.problem());
    } catch (const ir::UncountablePartError& error) {
      throw ir::UncountableError(ir::describe(module_, function, op), error.where() + ": " + error.problem());
    } catch (const Error& error) {
      throw Error(ir::describe(module_, function, op), error.where() + ": " + error.problem());
    } catch (const std::bad_alloc&) {
      throw Error(ir::describe(module_, function, op), "ran out of memory");
    }
  }

  template <class Where>
  void refine(Value& value, const ir::Value& declared, Where where) {
    if (declared.annotation == nullptr) return;
    try {
      value = domain_.refine(std::move(value), *declared.annotation);
    } catch (const Error& error) {
      throw Error(where(), error.problem());
    }
  }

  std::vector<Value> call(Instance<Value>& caller, size_t o, std::vector<Value>& arguments) {
    const ir::Op& op    = module_.functions[caller.function].ops[o];
    const auto callee   = static_cast<size_t>(op.callee);
    const auto* stated  = ir::call_devices(op);
    const DeviceMap map = stated != nullptr        ? DeviceMap(stated->begin(), stated->end())
                          : names_devices_[callee] ? DeviceMap()
                                                   : canonicalise(arguments);
    if (stated != nullptr) enter(map, arguments, caller, op);
    std::string key = std::to_string(callee) + ":";
    for (const Value& argument : arguments) domain_.append_key(argument, key);
    auto known = memo_.find(key);
    if (known == memo_.end()) known = memo_.emplace(std::move(key), interpret(callee, arguments)).first;
    const Instance<Value>& instance = nth(result_.instances, known->second);
    caller.callee[o]                = known->second;
    if (stated != nullptr) check_devices(known->second, map, caller, op);
    std::vector<Value> outputs;
    for (const ir::ValueId id : module_.functions[callee].results) {
      outputs.push_back(instance.values[ir::index(id)]);
      if (!map.empty())
        domain_.visit_devices(outputs.back(), [&](ir::Device& device) { device = renamed(device, map); });
    }
    caller.maps[o] = map;
    return outputs;
  }

  // Renames the devices of `arguments` from the caller's to the function's.
  void enter(const DeviceMap& map, std::vector<Value>& arguments, const Instance<Value>& caller,
             const ir::Op& op) const {
    std::map<int32_t, int32_t> inside;
    for (size_t i = 0; i < map.size(); ++i) inside[map[i]] = static_cast<int32_t>(i + 1);
    for (Value& argument : arguments) {
      domain_.visit_devices(argument, [&](ir::Device& device) {
        if (!device.placed()) return;
        const auto found = inside.find(device.index);
        if (found == inside.end()) {
          throw Error(ir::describe(module_, module_.functions[caller.function], op),
                      "has an argument on D" + ir::to_string(device) + ", which is none of the devices that it states");
        }
        device.index = found->second;
      });
    }
  }

  // Throws Error if the called instance uses a device that the call does not state.
  void check_devices(int32_t instance, const DeviceMap& map, const Instance<Value>& caller, const ir::Op& op) {
    const auto [found, fresh] = used_.try_emplace(instance);
    if (fresh) found->second = used_devices(instance);
    for (const int32_t device : found->second) {
      if (device >= 1 && static_cast<size_t>(device) <= map.size()) continue;
      throw Error(
          ir::describe(module_, module_.functions[caller.function], op),
          "states no device for D" + std::to_string(device) + " of the function; state one for each from D1 on");
    }
  }

  // The least and the greatest device number in an instance and in what it calls.
  std::vector<int32_t> used_devices(int32_t number) {
    const Instance<Value>& instance = nth(result_.instances, number);
    std::set<int32_t> used;
    std::vector<bool> seen(steps_.distinct()->size());
    for (size_t i = 0; i < instance.values.size(); ++i) {
      if (seen[instance.values.number(i)]) continue;
      seen[instance.values.number(i)] = true;
      Value value                     = instance.values[i];
      domain_.visit_devices(value, [&](const ir::Device& device) {
        if (device.placed()) used.insert(device.index);
      });
    }
    std::set<int32_t> called;
    for (size_t o = 0; o < instance.callee.size(); ++o) {
      used.insert(instance.maps[o].begin(), instance.maps[o].end());
      if (instance.callee[o] < 0 || !instance.maps[o].empty() || !called.insert(instance.callee[o]).second) continue;
      for (const int32_t device : used_devices(instance.callee[o])) used.insert(device);
    }
    if (used.size() < 2) return {used.begin(), used.end()};
    return {*used.begin(), *used.rbegin()};
  }

  // Renames the devices of `arguments` to 1, 2, ...; an empty map when there are none.
  DeviceMap canonicalise(std::vector<Value>& arguments) const {
    DeviceMap map;
    for (Value& argument : arguments) {
      domain_.visit_devices(argument, [&](ir::Device& device) {
        if (!device.placed()) return;
        size_t inside = 0;
        while (inside < map.size() && map[inside] != device.index) ++inside;
        if (inside == map.size()) map.push_back(device.index);
        device.index = static_cast<int32_t>(inside + 1);
      });
    }
    return map;
  }

  const ir::Module& module_;
  Domain domain_;
  std::vector<bool> names_devices_;
  Interpretation<Value> result_;
  std::map<std::string, int32_t> memo_;           // instances by function and arguments, up to renaming of devices
  std::map<int32_t, std::vector<int32_t>> used_;  // per instance called on stated devices
  StepMemo<Domain> steps_;
};

}  // namespace foreflow::interpret
