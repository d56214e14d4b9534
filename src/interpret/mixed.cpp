#include "foreflow/interpret/mixed.h"

#include <algorithm>
#include <array>

namespace foreflow::interpret {
namespace {

// Everything an implementation may look at.
struct Site {
  const ir::Op& op;
  std::span<const Mixed> inputs;
  std::vector<ir::Type> types;
  std::vector<const ir::Array*> known;

  ir::OpCall call() const { return {*op.def, *op.attributes, types, known, op.result_count}; }
};

bool left_out(const Mixed& value) {
  return value.type.kind == ir::Type::Kind::unknown && !value.type.device.placed() && !value.known;
}

// True for an op in the program of one device whose operands are all on other devices; `from` states which. Its results
// have the types that the program states.
bool only_receives(const Site& site) {
  return site.op.def->role == ir::Role::communication && site.op.attributes->find("from") != nullptr &&
         std::all_of(site.inputs.begin(), site.inputs.end(), [](const Mixed& input) { return left_out(input); });
}

bool all_known(const Site& site) {
  if (only_receives(site)) return false;
  return std::all_of(site.inputs.begin(), site.inputs.end(),
                     [](const Mixed& input) { return input.known || left_out(input); });
}

bool may_fold(const Site& site, std::span<const ir::Type> outputs) {
  const ir::OpDef& def = *site.op.def;
  if (!def.foldable || def.eval == nullptr) return false;
  if (def.role == ir::Role::optimizer) return false;
  return std::all_of(outputs.begin(), outputs.end(), [](const ir::Type& type) {
    return !type.is_tuple() && ir::element_count(type.dims) <= MixedDomain::kLargestKnown;
  });
}

bool reads_only_shapes(const Site& site) {
  return site.op.def->role == ir::Role::shape && !site.inputs.empty() && site.inputs[0].type.resolved();
}

// Moving a known number to another device keeps it known.
std::vector<Mixed> with_numbers(const Site& site, std::vector<ir::Type> outputs) {
  std::vector<ir::Array> numbers = site.op.def->eval(site.call());
  std::vector<Mixed> results;
  for (size_t i = 0; i < outputs.size(); ++i) {
    results.push_back({ir::moved(numbers[i].type(), outputs[i].device), nullptr});
    if (numbers[i].size() <= MixedDomain::kLargestKnown)
      results.back().known = std::make_shared<const ir::Array>(std::move(numbers[i]));
  }
  return results;
}

std::vector<Mixed> with_types(std::vector<ir::Type> outputs) {
  std::vector<Mixed> results;
  for (ir::Type& type : outputs) results.push_back(Mixed::of(std::move(type)));
  return results;
}

// Implementations from the most to the least precise; the first whose condition holds is run.
struct Implementation {
  const char* signature;
  bool (*applies)(const Site& site, std::span<const ir::Type> outputs);
  std::vector<Mixed> (*run)(const Site& site, std::vector<ir::Type> outputs);
};

constexpr std::array kImplementations = {
    Implementation{
        "numbers -> numbers",
        [](const Site& site, std::span<const ir::Type> outputs) { return all_known(site) && may_fold(site, outputs); },
        with_numbers},
    Implementation{"shape -> numbers",
                   [](const Site& site, std::span<const ir::Type> outputs) {
                     return reads_only_shapes(site) && may_fold(site, outputs);
                   },
                   with_numbers},
    Implementation{"types -> types", [](const Site&, std::span<const ir::Type>) { return true; },
                   [](const Site&, std::vector<ir::Type> outputs) { return with_types(std::move(outputs)); }}};

}  // namespace

std::vector<Mixed> MixedDomain::apply(const ir::Op& op, std::span<const Mixed> inputs) const {
  Site site{op, inputs, {}, {}};
  site.types.reserve(inputs.size());
  site.known.reserve(inputs.size());
  for (const Mixed& input : inputs) {
    site.types.push_back(input.type);
    site.known.push_back(input.known.get());
  }
  std::vector<ir::Type> outputs = infer_placed(op, site.types, site.known);
  const auto chosen =
      std::find_if(kImplementations.begin(), kImplementations.end(),
                   [&](const Implementation& implementation) { return implementation.applies(site, outputs); });
  return chosen->run(site, std::move(outputs));
}

Mixed MixedDomain::refine(Mixed value, const ir::Type& annotation) const {
  value.type = refined(std::move(value.type), annotation);
  return value;
}

void MixedDomain::append_key(const Mixed& value, std::string& key) const {
  interpret::append_key(value.type, key);
  key += value.known ? '1' : '0';
  if (value.known) key.append(reinterpret_cast<const char*>(value.known->bytes()), value.known->byte_count());
}

MixedInterpretation interpret_mixed(const ir::Module& module, size_t entry, const std::vector<Mixed>& arguments) {
  std::vector<Mixed> values = arguments;
  if (values.empty()) {
    values.reserve(module.functions[entry].parameters.size());
    for (ir::Type& type : parameter_types(module.functions[entry])) values.push_back(Mixed::of(std::move(type)));
  }
  return Interpreter<MixedDomain>(module, {}).run(entry, std::move(values));
}

std::vector<std::string> unresolved(const ir::Module& module, const MixedInterpretation& interpretation) {
  std::vector<std::string> names;
  for (const auto& instance : interpretation.instances) {
    const ir::Function& function = module.functions[instance.function];
    for (size_t i = 0; i < instance.values.size(); ++i) {
      if (instance.values[i].type.resolved()) continue;
      const std::string& name = function.values[i].name;
      names.push_back("%" + (name.empty() ? "v" + std::to_string(i) : name) + ": " +
                      ir::to_string(instance.values[i].type));
    }
  }
  return names;
}

}  // namespace foreflow::interpret
