#include "foreflow/lower/project.h"

#include <set>
#include <tuple>

#include "foreflow/ir/builder.h"
#include "foreflow/ir/text.h"

namespace foreflow::lower {
namespace {

using interpret::Instance;
using interpret::Mixed;
using ir::ValueId;

// True when the value, or a part of it, is on the device or on none.
bool touches(const ir::Type& type, const ir::Device& device) {
  for (const ir::Type& element : type.elements) {
    if (touches(element, device)) return true;
  }
  return type.elements.empty() && (type.device == device || !type.device.placed());
}

void collect(const ir::Type& type, std::set<ir::Device>& devices) {
  if (type.device.placed()) devices.insert(type.device);
  for (const ir::Type& element : type.elements) collect(element, devices);
}

ir::Type outside(ir::Type type, const interpret::DeviceMap& map) {
  if (!map.empty()) type.device = interpret::renamed(type.device, map);
  for (ir::Type& element : type.elements) element = outside(std::move(element), map);
  return type;
}

// The inner name of a device that takes part in a call; not placed: it does not.
ir::Device inside(const ir::Device& device, const interpret::DeviceMap& map) {
  if (map.empty()) return device;
  for (size_t i = 0; i < map.size(); ++i) {
    if (map[i] == device.index) return ir::Device(static_cast<int32_t>(i + 1), device.stream_name());
  }
  return {};
}

interpret::DeviceMap composed(interpret::DeviceMap inner, const interpret::DeviceMap& outer) {
  if (inner.empty()) return outer;
  if (outer.empty()) return inner;
  for (int32_t& device : inner) device = outer[static_cast<size_t>(device - 1)];
  return inner;
}

// The function that is being projected, seen from one device.
struct Site {
  const Instance<Mixed>& instance;
  const ir::Function& function;
  ir::Device device;         // as the instance calls it
  interpret::DeviceMap map;  // the instance's devices to the real ones; empty: they are real

  const ir::Type& type(ValueId id) const { return instance.values[ir::index(id)].type; }
  bool touches(ValueId id) const { return lower::touches(type(id), device); }
  // On this very device, not on none.
  bool is_here(ValueId id) const { return ir::device_of(type(id)).placed() && touches(id); }
};

using Kept = std::vector<ValueId>;  // by the original's ValueId; none: not in the projection

class Projector {
 public:
  Projector(const ir::Module& module, const interpret::MixedInterpretation& interpretation, const ir::OpTable& ops)
      : module_(module), interpretation_(interpretation), ops_(ops) {
    result_.source = module.source;
  }

  ir::Module run(const ir::Device& device) && {
    project(static_cast<int32_t>(interpretation_.instances.size() - 1), device, {});
    ir::verify(result_);
    return std::move(result_);
  }

 private:
  // What a projected function takes and gives, as positions of the original's parameters and results.
  struct Projected {
    size_t function = 0;  // in result_
    std::vector<size_t> parameters, results;
  };

  // `device` as the instance calls it; `map` takes its devices to the real ones, which annotations show.
  const Projected& project(int32_t number, const ir::Device& device, const interpret::DeviceMap& map) {
    const auto key = std::tuple(number, device, map);
    if (const auto known = projected_.find(key); known != projected_.end()) return known->second;
    const Instance<Mixed>& instance = interpretation_.instances[static_cast<size_t>(number)];
    const ir::Function& function    = module_.functions[instance.function];
    const Site site{instance, function, device, map};
    ir::FunctionBuilder builder(function.name, ops_);
    Projected projected;
    Kept kept(function.values.size(), ValueId::none);
    for (size_t i = 0; i < function.parameters.size(); ++i) {
      const ir::Type& type = instance.values[i].type;
      if (!touches(type, device)) continue;
      kept[i] = builder.parameter(function.values[i].name, function.parameters[i], outside(type, map));
      projected.parameters.push_back(i);
    }
    for (size_t o = 0; o < function.ops.size(); ++o) {
      if (function.ops[o].is_call()) {
        call(site, o, builder, kept);
      } else {
        copy(site, function.ops[o], builder, kept);
      }
    }
    std::vector<ValueId> results;
    for (size_t i = 0; i < function.results.size(); ++i) {
      const ValueId id = kept[ir::index(function.results[i])];
      if (id == ValueId::none) continue;
      results.push_back(id);
      projected.results.push_back(i);
    }
    result_.functions.push_back(builder.finish(std::move(results)));
    result_.functions.back().name = unique(function.name);
    projected.function            = result_.functions.size() - 1;
    return projected_.emplace(key, std::move(projected)).first->second;
  }

  void call(const Site& site, size_t o, ir::FunctionBuilder& builder, Kept& kept) {
    const ir::Op& op                = site.function.ops[o];
    const interpret::DeviceMap& map = site.instance.maps[o];
    const ir::Device device         = inside(site.device, map);
    if (!device.placed() && site.device.placed()) return;
    const Projected& callee = project(site.instance.callee[o], device, composed(map, site.map));
    if (result_.functions[callee.function].ops.empty() && callee.results.empty()) return;
    std::vector<ValueId> arguments;
    for (const size_t parameter : callee.parameters)
      arguments.push_back(kept[ir::index(site.function.inputs(op)[parameter])]);
    const auto number   = static_cast<int32_t>(callee.function);
    const ValueId first = builder.append(nullptr, number, op.attributes, arguments, callee.results.size());
    for (size_t i = 0; i < callee.results.size(); ++i) {
      keep(site, site.function.output(op, callee.results[i]), static_cast<ValueId>(ir::index(first) + i), builder,
           kept);
    }
  }

  void copy(const Site& site, const ir::Op& op, ir::FunctionBuilder& builder, Kept& kept) {
    bool mine = false;
    std::vector<ValueId> operands;
    for (const ValueId id : site.function.inputs(op)) {
      operands.push_back(id == ValueId::none ? id : kept[ir::index(id)]);
      mine = mine || (id != ValueId::none && site.is_here(id));
    }
    for (uint32_t i = 0; i < op.result_count; ++i) mine = mine || site.touches(site.function.output(op, i));
    if (!mine) return;
    const ValueId first = builder.append(op.def, -1, op.attributes, operands, op.result_count);
    for (uint32_t i = 0; i < op.result_count; ++i) {
      keep(site, site.function.output(op, i), static_cast<ValueId>(ir::index(first) + i), builder, kept);
    }
  }

  // Names and annotates the copy of a value; other devices' results stay without a name.
  void keep(const Site& site, ValueId original, ValueId copy, ir::FunctionBuilder& builder, Kept& kept) {
    const ir::Type& type = site.type(original);
    builder.annotate(copy, std::make_shared<const ir::Type>(outside(type, site.map)));
    if (!touches(type, site.device)) return;
    kept[ir::index(original)] = copy;
    builder.set_name(copy, site.function.value(original).name);
  }

  std::string unique(const std::string& name) {
    const int taken = ++taken_[name];
    return taken == 1 ? name : name + "_" + std::to_string(taken);
  }

  const ir::Module& module_;
  const interpret::MixedInterpretation& interpretation_;
  const ir::OpTable& ops_;
  ir::Module result_;
  std::map<std::tuple<int32_t, ir::Device, interpret::DeviceMap>, Projected> projected_;
  std::map<std::string, int> taken_;
};

}  // namespace

std::map<ir::Device, ir::Module> project(const ir::Module& module, const interpret::MixedInterpretation& interpretation,
                                         const ir::OpTable& ops) {
  std::set<ir::Device> devices;
  for (const Mixed& value : interpretation.entry().values) collect(value.type, devices);
  if (devices.empty()) devices.insert(ir::Device());
  std::map<ir::Device, ir::Module> programs;
  for (const ir::Device& device : devices) programs.emplace(device, Projector(module, interpretation, ops).run(device));
  return programs;
}

}  // namespace foreflow::lower
