#include "foreflow/lower/project.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

#include "foreflow/base/nth.h"
#include "foreflow/interpret/devices.h"
#include "foreflow/ir/builder.h"
#include "foreflow/ir/text.h"
#include "lower/concerned.h"

namespace foreflow::lower {
namespace {

using interpret::Instance;
using interpret::Location;
using interpret::Mixed;
using ir::ValueId;

// The inner name of a device that takes part in a call; not placed: it does not.
ir::Device inside(const ir::Device& device, const interpret::DeviceMap& map) {
  if (map.empty()) return device;
  for (size_t i = 0; i < map.size(); ++i) {
    if (map[i] == device.index) return ir::Device(static_cast<int32_t>(i + 1), device.stream_name());
  }
  return {};
}

// By the numbers of an instance in the two interpretations.
using ConcernedByInstance = std::map<std::pair<int32_t, int32_t>, Concerned>;

// The function that is being projected, seen from one device.
struct Site {
  const Instance<Mixed>& instance;
  const Instance<Location>& locations;
  const ir::Function& function;
  ir::Device device;         // as the instance calls it
  interpret::DeviceMap map;  // the instance's devices to the real ones; empty: they are real
  Grain grain;

  bool is_mine(const ir::Device& other) const { return grain == Grain::gpu ? device.same_gpu(other) : device == other; }
  // The value, or a part of it, is on the device or on none.
  bool touches(const Location& location) const {
    if (location.elements.empty()) return !location.device.placed() || is_mine(location.device);
    return std::any_of(location.elements.begin(), location.elements.end(),
                       [this](const Location& part) { return touches(part); });
  }
  bool touches(ValueId id) const { return touches(locations.values[ir::index(id)]); }
  // A result is on the device or on none.
  bool receives(const ir::Op& op) const {
    for (uint32_t i = 0; i < op.result_count; ++i) {
      if (touches(function.output(op, i))) return true;
    }
    return false;
  }
  bool takes_part(const ir::Op& op) const {
    if (receives(op)) return true;
    const std::set<ir::Device> devices = interpret::devices_of(function, op, locations);
    return std::any_of(devices.begin(), devices.end(), [this](const ir::Device& other) { return is_mine(other); });
  }
};

// The attributes of a communication, with real devices: those that the op names, and those of its operands.
ir::AttributesRef with_members(const Site& site, const ir::Op& op) {
  const auto real = [&](const ir::Device& device) {
    return site.map.empty() ? device : interpret::renamed(device, site.map);
  };
  std::vector<int64_t> numbers;
  std::vector<std::string> names;
  for (const ValueId id : site.function.inputs(op)) {
    for (const ir::Device& device : interpret::devices_of(site.locations.values[ir::index(id)])) {
      numbers.push_back(real(device).index);
      names.push_back(ir::to_string(real(device)));
    }
  }
  if (names.empty() && !ir::names_devices(op)) return op.attributes;
  const bool streams =
      std::any_of(names.begin(), names.end(), [](const auto& name) { return name.find('.') != std::string::npos; });
  auto attributes = std::make_shared<ir::Attributes>(ir::with_devices(op, real));
  if (!names.empty()) attributes->set("from", streams ? ir::Attribute(names) : ir::Attribute(numbers));
  return attributes;
}

constexpr std::string_view kMadeName = "value";

// The copies of values by the original's ValueId. A projection has few of the values of all devices.
class Kept {
 public:
  void set(ValueId original, ValueId copy) { copies_[ir::index(original)] = copy; }
  // none: not in the projection.
  ValueId of(ValueId original) const {
    const auto found = copies_.find(ir::index(original));
    return found == copies_.end() ? ValueId::none : found->second;
  }

 private:
  std::unordered_map<size_t, ValueId> copies_;
};

class Projector {
 public:
  Projector(const ir::Module& module, const interpret::MixedInterpretation& interpretation,
            const interpret::Locations& locations, const std::vector<PortNames>& names, const ir::OpTable& ops,
            Grain grain, ConcernedByInstance& concerned)
      : module_(module),
        interpretation_(interpretation),
        locations_(locations),
        names_(names),
        ops_(ops),
        grain_(grain),
        concerned_(concerned) {
    result_.source = module.source;
  }

  ir::Module run(const ir::Device& device) && {
    project(last(interpretation_.instances), last(locations_.instances), device, {});
    ir::verify(result_);
    return std::move(result_);
  }

 private:
  // The parameters and results of a projected function, as positions in the original function.
  struct Projected {
    size_t function = 0;  // in result_
    std::vector<size_t> parameters, results;
  };

  template <class T>
  static int32_t last(const std::vector<T>& instances) {
    return static_cast<int32_t>(instances.size() - 1);
  }

  // `number` and `location` are the instances of one call in the two interpretations. `device` as the instance calls
  // it; `map` takes its devices to the real ones, which annotations show.
  const Projected& project(int32_t number, int32_t location, const ir::Device& device,
                           const interpret::DeviceMap& map) {
    const auto key = std::tuple(number, location, device, map);
    if (const auto known = projected_.find(key); known != projected_.end()) return known->second;
    const Instance<Mixed>& instance = nth(interpretation_.instances, number);
    const ir::Function& function    = module_.functions[instance.function];
    const PortNames& name           = nth(names_, instance.function);
    const Site site{instance, nth(locations_.instances, location), function, device, map, grain_};
    const Concerned& concerned =
        concerned_.try_emplace({number, location}, function, instance, site.locations).first->second;
    ir::FunctionBuilder builder(function.name, ops_);
    Projected projected;
    Kept kept;
    for (const size_t i : concerned.parameters(device)) {
      if (!site.touches(static_cast<ValueId>(i))) continue;
      const auto id = static_cast<ValueId>(i);
      kept.set(id,
               builder.parameter(name(id), function.parameters[i], interpret::renamed(instance.values[i].type, map)));
      projected.parameters.push_back(i);
    }
    for (const size_t o : concerned.ops(device)) {
      if (function.ops[o].is_call()) {
        call(site, o, builder, kept);
      } else {
        copy(site, function.ops[o], builder, kept);
      }
    }
    std::vector<ValueId> results;
    for (const size_t i : concerned.results(device)) {
      const ValueId id = kept.of(function.results[i]);
      if (id == ValueId::none) continue;
      if (builder.function().value(id).name.empty()) builder.set_name(id, name(function.results[i]));
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
    if (!device.placed() && site.device.placed() && !site.receives(op)) return;
    const Projected& callee =
        project(site.instance.callee[o], site.locations.callee[o], device, interpret::composed(map, site.map));
    if (result_.functions[callee.function].ops.empty() && callee.results.empty()) return;
    std::vector<ValueId> arguments;
    for (const size_t parameter : callee.parameters) arguments.push_back(kept.of(site.function.inputs(op)[parameter]));
    const auto number = static_cast<int32_t>(callee.function);
    const ValueId first =
        builder.append(nullptr, number, builder.share({}), arguments, callee.results.size());  // on real devices
    for (size_t i = 0; i < callee.results.size(); ++i) {
      keep(site, site.function.output(op, callee.results[i]), static_cast<ValueId>(ir::index(first) + i), builder,
           kept);
    }
  }

  void copy(const Site& site, const ir::Op& op, ir::FunctionBuilder& builder, Kept& kept) {
    if (!site.takes_part(op)) return;
    std::vector<ValueId> operands;
    for (const ValueId id : site.function.inputs(op)) operands.push_back(id == ValueId::none ? id : kept.of(id));
    const bool communicates = op.def->role == ir::Role::communication;
    const ValueId first =
        builder.append(op.def, -1, communicates ? with_members(site, op) : op.attributes, operands, op.result_count);
    for (uint32_t i = 0; i < op.result_count; ++i) {
      keep(site, site.function.output(op, i), static_cast<ValueId>(ir::index(first) + i), builder, kept);
    }
  }

  // Names and annotates the copy of a value; other devices' results stay without a name.
  void keep(const Site& site, ValueId original, ValueId copy, ir::FunctionBuilder& builder, Kept& kept) {
    const ir::Type& type = site.instance.values[ir::index(original)].type;
    builder.annotate(copy, std::make_shared<const ir::Type>(interpret::renamed(type, site.map)));
    if (!site.touches(original)) return;
    kept.set(original, copy);
    builder.set_name(copy, site.function.value(original).name);
  }

  std::string unique(const std::string& name) {
    const int taken = ++taken_[name];
    return taken == 1 ? name : name + "_" + std::to_string(taken);
  }

  const ir::Module& module_;
  const interpret::MixedInterpretation& interpretation_;
  const interpret::Locations& locations_;
  const std::vector<PortNames>& names_;  // per function
  const ir::OpTable& ops_;
  Grain grain_;
  ConcernedByInstance& concerned_;
  ir::Module result_;
  std::map<std::tuple<int32_t, int32_t, ir::Device, interpret::DeviceMap>, Projected> projected_;
  std::map<std::string, int> taken_;
};

}  // namespace

PortNames::PortNames(const ir::Function& function) : function_(&function) {
  for (const ir::Value& value : function.values) {
    if (value.name.starts_with(kMadeName)) taken_.push_back(value.name);
  }
  std::sort(taken_.begin(), taken_.end());
}

std::string PortNames::operator()(ir::ValueId id) const {
  const std::string& own = function_->value(id).name;
  const bool is_number   = own.starts_with('v') && own.find_first_not_of("0123456789", 1) == std::string::npos;
  if (!own.empty() && !(is_number && own.size() > 1)) return own;
  std::string name = std::string(kMadeName) + std::to_string(ir::index(id));
  while (std::binary_search(taken_.begin(), taken_.end(), name)) name += "_";
  return name;
}

std::string port_name(const ir::Function& function, ir::ValueId id) { return PortNames(function)(id); }

std::map<ir::Device, ir::Module> project(const ir::Module& module, const interpret::MixedInterpretation& interpretation,
                                         const ir::OpTable& ops, Grain grain, const DeviceFinished& finished) {
  const Instance<Mixed>& entry = interpretation.entry();
  std::vector<Location> arguments;
  for (size_t i = 0; i < module.functions[entry.function].parameters.size(); ++i) {
    arguments.push_back(interpret::location_of(entry.values[i].type));
  }
  const interpret::Locations locations = interpret::locate(module, entry.function, arguments);
  std::set<ir::Device> devices;
  for (const ir::Device& device : interpret::devices_of(locations)) {
    devices.insert(grain == Grain::gpu ? ir::Device(device.index) : device);
  }
  if (devices.empty()) devices.insert(ir::Device());
  const std::vector<PortNames> names(module.functions.begin(), module.functions.end());
  ConcernedByInstance concerned;
  std::map<ir::Device, ir::Module> programs;
  for (const ir::Device& device : devices) {
    programs.emplace(device, Projector(module, interpretation, locations, names, ops, grain, concerned).run(device));
    if (finished) finished(programs.size(), devices.size());
  }
  return programs;
}

}  // namespace foreflow::lower
