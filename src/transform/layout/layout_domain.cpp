#include "transform/layout/layout_domain.h"

#include <algorithm>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/base/refusal.h"
#include "transform/layout/why_whole.h"

namespace foreflow::transform {
namespace {

std::vector<interpret::Mixed> mixed_values(std::span<const LaidOut> inputs) {
  std::vector<interpret::Mixed> values;
  values.reserve(inputs.size());
  for (const LaidOut& input : inputs) values.push_back(input.value);
  return values;
}

Decision decide_for(const ir::Op& op, std::span<const interpret::Mixed> values, std::span<const LaidOut> inputs,
                    int ways) {
  std::vector<ir::Type> types;
  std::vector<const ir::Array*> known;
  std::vector<Layout> arriving;
  for (size_t i = 0; i < inputs.size(); ++i) {
    types.push_back(values[i].type);
    known.push_back(values[i].known.get());
    arriving.push_back(inputs[i].layout);
  }
  return decide({*op.def, *op.attributes, types, known, op.result_count}, arriving, ways);
}

}  // namespace

std::vector<LaidOut> LayoutDomain::apply(const ir::Op& op, std::span<const LaidOut> inputs) const {
  const std::vector<interpret::Mixed> values = mixed_values(inputs);
  std::vector<interpret::Mixed> outputs      = interpret::MixedDomain().apply(op, values);
  const Decision decision                    = decide_for(op, values, inputs, ways);
  std::vector<LaidOut> results;
  for (size_t i = 0; i < outputs.size(); ++i) results.push_back({std::move(outputs[i]), decision.outputs[i]});
  return results;
}

LaidOut LayoutDomain::refine(LaidOut value, const ir::Type& annotation) const {
  value.value = interpret::MixedDomain().refine(std::move(value.value), annotation);
  return value;
}

void LayoutDomain::append_key(const LaidOut& value, std::string& key) const {
  interpret::MixedDomain().append_key(value.value, key);
  key += to_string(value.layout) + ";";
}

Verdict judge(const ir::Function& function, const ir::Op& op, const interpret::Values<LaidOut>& values, int ways) {
  std::vector<LaidOut> inputs;
  for (const ir::ValueId id : function.inputs(op))
    inputs.push_back(id == ir::ValueId::none ? LaidOut() : values[ir::index(id)]);
  Verdict verdict{decide_for(op, mixed_values(inputs), inputs, ways), true};
  for (size_t i = 0; i < inputs.size(); ++i) {
    verdict.as_it_arrives = verdict.as_it_arrives && verdict.decision.inputs[i] == inputs[i].layout;
  }
  verdict.as_it_arrives = verdict.as_it_arrives && verdict.decision.once < 0;
  return verdict;
}

std::span<const uint64_t> words_of(const ir::Function& function, const ir::Op& op, uint64_t attributes,
                                   const interpret::Values<LaidOut>& values, std::vector<uint64_t>& words) {
  constexpr uint64_t kAbsent = ~uint64_t{0};
  words                      = {reinterpret_cast<uint64_t>(op.def), attributes, op.result_count};
  for (const ir::ValueId id : function.inputs(op))
    words.push_back(id == ir::ValueId::none ? kAbsent : values.number(ir::index(id)));
  return words;
}

const Verdict& Judge::operator()(const ir::Function& function, const ir::Op& op,
                                 const interpret::Values<LaidOut>& values) {
  const uint32_t number = known_.number(words_of(function, op, attributes_.of(op.attributes), values, words_));
  if (number == verdicts_.size()) verdicts_.push_back(judge(function, op, values, ways_));
  return verdicts_[number];
}

bool mixes(const ir::Function& entry, const interpret::Values<LaidOut>& values, int ways) {
  Judge judge_once(ways);
  return std::any_of(entry.ops.begin(), entry.ops.end(), [&](const ir::Op& op) {
    if (op.is_call()) return false;
    const Verdict& verdict = judge_once(entry, op, values);
    const auto inputs      = entry.inputs(op);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == ir::ValueId::none || verdict.decision.inputs[i] == values[ir::index(inputs[i])].layout) continue;
      if (!values[ir::index(inputs[i])].layout.is_partial()) return true;
    }
    return false;
  });
}

namespace {

// Per parameter of the entry the dimension that counts samples; kWhole: none.
using DataDims           = std::vector<int32_t>;
constexpr int32_t kWhole = -1;

// The stated type of each data parameter; unknown for other parameters.
std::vector<ir::Type> types_of_data(const ir::Function& entry) {
  std::vector<ir::Type> types(entry.parameters.size());
  for (size_t i = 0; i < types.size(); ++i) {
    const ir::TypeRef& type = entry.values[i].annotation;
    if (entry.parameters[i] == ir::ParameterRole::data && type != nullptr) types[i] = *type;
  }
  return types;
}

bool has_dims(const ir::Type& type) { return type.is_tensor() && !type.dims.empty(); }

bool of_one_size(const std::vector<ir::Type>& types) {
  const auto any = std::find_if(types.begin(), types.end(), has_dims);
  return std::all_of(types.begin(), types.end(),
                     [&](const ir::Type& type) { return !has_dims(type) || type.dims[0] == any->dims[0]; });
}

// Samples are the first dimension of all data; or of some data, and another of what is as large elsewhere (past keys
// and values [2,b,..]), and the rest is every sample's (tables of positions, weights that an export takes as data).
std::vector<DataDims> possible_dims(const std::vector<ir::Type>& types) {
  std::vector<DataDims> all{DataDims(types.size(), 0)};
  std::set<int64_t> tried;
  for (const ir::Type& type : types) {
    if (!has_dims(type) || type.dims[0] < 2 || !tried.insert(type.dims[0]).second) continue;
    DataDims dims(types.size(), kWhole);
    for (size_t i = 0; i < types.size(); ++i) {
      if (!has_dims(types[i])) continue;
      const auto found = std::find(types[i].dims.begin(), types[i].dims.end(), type.dims[0]);
      if (found != types[i].dims.end()) dims[i] = static_cast<int32_t>(found - types[i].dims.begin());
    }
    all.push_back(std::move(dims));
  }
  return all;
}

LayoutInterpretation interpret_split(const ir::Module& module, const std::vector<ir::Type>& data, const DataDims& dims,
                                     int ways, const std::string& what) {
  const ir::Function& entry = module.entry();
  std::vector<LaidOut> arguments;
  arguments.reserve(entry.parameters.size());
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    const ir::TypeRef& type = entry.values[i].annotation;
    LaidOut argument{interpret::Mixed::of(type == nullptr ? ir::Type() : *type), Layout::whole()};
    if (entry.parameters[i] == ir::ParameterRole::data && ways > 1 && dims[i] != kWhole) {
      const bool divides = has_dims(data[i]) && nth(data[i].dims, dims[i]) % ways == 0;
      if (!divides) {
        throw RefusalError(Cause::program, module.source + ": @" + entry.name + ": %" + entry.values[i].name,
                           ir::to_string(argument.value.type) + " cannot be split evenly over " + std::to_string(ways) +
                               " " + what + "; a multiple of " + std::to_string(ways) +
                               " can (\"global_batch\" repeats a model of fixed batch)");
      }
      argument.layout = Layout::split(dims[i]);
    }
    arguments.push_back(std::move(argument));
  }
  LayoutInterpretation result =
      interpret::Interpreter<LayoutDomain>(module, {ways}).run(module.functions.size() - 1, std::move(arguments));
  Judge judge_once(ways);
  for (size_t i = 0; i + 1 < result.instances.size(); ++i) {
    const ir::Function& function = module.functions[result.instances[i].function];
    for (const ir::Op& op : function.ops) {
      if (!op.is_call() && !judge_once(function, op, result.instances[i].values).as_it_arrives)
        mixes_samples(module, function, op, result.instances[i].values, ways, what);
    }
  }
  return result;
}

}  // namespace

void mixes_samples(const ir::Module& module, const ir::Function& function, const ir::Op& op,
                   const interpret::Values<LaidOut>& values, int ways, const std::string& what) {
  const WhyWhole why        = why_whole(function, op, values, ways);
  const std::string instead = why.instead.empty() ? "" : "; " + why.instead;
  throw RefusalError(Cause::program, ir::describe(module, function, op),
                     "needs the whole batch at once, because " + why.because + ", so the batch cannot be split over " +
                         what + instead);
}

LayoutInterpretation interpret_layouts(const ir::Module& module, int ways, const std::string& what) {
  const std::vector<ir::Type> types = types_of_data(module.entry());
  const DataDims first(types.size(), 0);
  if (ways == 1 || of_one_size(types)) return interpret_split(module, types, first, ways, what);
  for (const DataDims& dims : possible_dims(types)) {
    try {
      LayoutInterpretation result = interpret_split(module, types, dims, ways, what);
      if (!mixes(module.entry(), result.entry().values, ways)) return result;
    } catch (const Error&) {  // another dimension may do; where none does, the first of samples says why
    }
  }
  return interpret_split(module, types, first, ways, what);
}

}  // namespace foreflow::transform
