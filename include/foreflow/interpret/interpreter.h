// The abstract interpreter of DistIR (Santhanam et al., 2021, Algorithm 1), generic over the domain of values. It knows
// functions, calls and devices; what an op does to a value is the domain's business.
//
// A call is interpreted once per distinct signature: arguments that differ only in which devices they live on give the
// same result up to a renaming of devices. 96 equal layers on 8 devices cost one interpretation.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::interpret {

// Which device of the caller each device of the callee stands for. Devices inside an instance are numbered 1, 2, ... in
// the order in which they first occur among the arguments; streams keep their names.
using DeviceMap = std::vector<int32_t>;  // [number inside - 1] = number outside

// A function under one signature.
template <class Value>
struct Instance {
  size_t function;              // index into Module::functions
  std::vector<Value> values;    // by ValueId
  std::vector<int32_t> callee;  // per op: index of the called instance, -1 for an op of the table
  std::vector<DeviceMap> maps;  // per op: for a call, the callee's devices in terms of this instance's
};

template <class Value>
struct Interpretation {
  std::vector<Instance<Value>> instances;  // callees before callers; the entry is the last one, on real devices
  const Instance<Value>& entry() const { return instances.back(); }
};

// The device number outside for `device` inside an instance.
inline ir::Device renamed(const ir::Device& device, const DeviceMap& map) {
  if (!device.placed()) return device;
  ir::Device outside = device;
  outside.index      = map[static_cast<size_t>(device.index - 1)];
  return outside;
}

// True when the body of `function` names a device itself (Send(%x, 2)), directly or in a callee: such a function means
// those devices wherever it is called from, so its calls are not renamed. Indexed like Module::functions.
std::vector<bool> functions_naming_devices(const ir::Module& module);

// A Domain has
//   using Value = ...;                                                                 copyable
//   std::vector<Value> apply(const ir::Op& op, std::span<const Value> inputs) const;   may throw Error; the place is added here
//   Value absent() const;                                                              an operand left out
//   Value refine(Value value, const ir::Type& annotation) const;                       Error when they contradict
//   template <class F> void visit_devices(Value& value, F f) const;                    f(ir::Device&) on each device in it
//   void append_key(const Value& value, std::string& key) const;                       equal keys <=> equal values
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
    interpret(entry, std::move(arguments));
    return std::move(result_);
  }

 private:
  // Returns the number of the new instance.
  int32_t interpret(size_t number, std::vector<Value> arguments) {
    const ir::Function& function = module_.functions[number];
    if (arguments.size() != function.parameters.size()) {
      throw Error(module_.source + ": @" + function.name, "takes " + std::to_string(function.parameters.size()) + " arguments, not " +
                                                              std::to_string(arguments.size()));
    }
    Instance<Value> instance{number, std::move(arguments), std::vector<int32_t>(function.ops.size(), -1), {}};
    instance.maps.resize(function.ops.size());
    instance.values.reserve(function.values.size());
    for (size_t i = 0; i < instance.values.size(); ++i) {
      refine(instance.values[i], function.values[i], [&] { return module_.source + ": @" + function.name + ": %" + function.values[i].name; });
    }
    std::vector<Value> inputs;
    for (size_t o = 0; o < function.ops.size(); ++o) {
      const ir::Op& op = function.ops[o];
      inputs.clear();
      for (const ir::ValueId id : function.inputs(op)) inputs.push_back(id == ir::ValueId::none ? domain_.absent() : instance.values[ir::index(id)]);
      std::vector<Value> outputs = op.is_call() ? call(instance, o, inputs) : apply(function, op, inputs);
      for (size_t i = 0; i < outputs.size(); ++i) {
        refine(outputs[i], function.values[op.first_result + i], [&] { return ir::describe(module_, function, op); });
        instance.values.push_back(std::move(outputs[i]));
      }
    }
    result_.instances.push_back(std::move(instance));
    return static_cast<int32_t>(result_.instances.size() - 1);
  }

  std::vector<Value> apply(const ir::Function& function, const ir::Op& op, std::span<const Value> inputs) {
    try {
      std::vector<Value> outputs = domain_.apply(op, inputs);
      if (outputs.size() != op.result_count) {
        throw Error(std::string(op.def->name), "gives " + std::to_string(outputs.size()) + " results, not " + std::to_string(op.result_count));
      }
      return outputs;
    } catch (const Error& error) {
      const std::string prefix = error.where() == op.def->name ? "" : error.where() + ": ";
      throw Error(ir::describe(module_, function, op), prefix + error.problem());
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
    const DeviceMap map = names_devices_[callee] ? DeviceMap() : canonicalise(arguments);
    std::string key     = std::to_string(callee) + ":";
    for (const Value& argument : arguments) domain_.append_key(argument, key);
    auto known = memo_.find(key);
    if (known == memo_.end()) known = memo_.emplace(std::move(key), interpret(callee, arguments)).first;
    const Instance<Value>& instance = result_.instances[static_cast<size_t>(known->second)];
    caller.callee[o]                = known->second;
    std::vector<Value> outputs;
    for (const ir::ValueId id : module_.functions[callee].results) {
      outputs.push_back(instance.values[ir::index(id)]);
      if (!map.empty()) domain_.visit_devices(outputs.back(), [&](ir::Device& device) { device = renamed(device, map); });
    }
    caller.maps[o] = map;
    return outputs;
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
  std::map<std::string, int32_t> memo_;
};

}  // namespace foreflow::interpret
