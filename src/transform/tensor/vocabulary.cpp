#include "transform/tensor/vocabulary.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

using Form = ir::VocabularyForm::Kind;

constexpr size_t kClassDim = 1;

bool is_along_rows(const ir::OpCall& call) { return call.attributes.int_or("axis", 0) == 0; }

bool looks_up(const ir::Function& function, const ir::Op& op, const interpret::Values<interpret::Mixed>& values) {
  if (op.is_call() || op.def->vocabulary.kind != Form::lookup) return false;
  const auto inputs = function.inputs(op);
  const size_t data = ir::index(inputs[0]);
  return op.attributes->int_or("axis", 0) == 0 && data < function.parameters.size() &&
         function.parameters[data] == ir::ParameterRole::weight && values[data].type.dims.size() == 2 &&
         !values[ir::index(inputs[1])].known;
}

// Logits that are split by their classes.
bool has_split_classes(const ir::OpCall& call, std::span<const Layout> arriving) {
  return call.def.vocabulary.kind == Form::loss && call.outputs == 1 && arriving[0] == Layout::split(kClassDim);
}

}  // namespace

std::set<size_t> vocabulary_tables(const ir::Function& function, const interpret::Values<interpret::Mixed>& values) {
  std::set<size_t> tables;
  int64_t most = 0;
  for (const ir::Op& op : function.ops) {
    if (!looks_up(function, op, values)) continue;
    const size_t table = ir::index(function.inputs(op)[0]);
    const int64_t rows = values[table].type.dims[0];
    if (rows > most) tables.clear();
    if (rows >= most) tables.insert(table);
    most = std::max(most, rows);
  }
  return tables;
}

VocabularyRules::VocabularyRules(const ir::Function& function, const interpret::Values<interpret::Mixed>& values)
    : active_(true), tables_(vocabulary_tables(function, values)) {
  for (const ir::Op& op : function.ops) {
    if (!looks_up(function, op, values)) continue;
    const size_t table = ir::index(function.inputs(op)[0]);
    if (tables_.contains(table)) lookups_.emplace(function.inputs(op)[1], values[table].type.dims[0]);
  }
}

bool VocabularyRules::looks_up_part(const ir::Function& function, const ir::Op& op, const ir::OpCall& call,
                                    std::span<const Layout> arriving) const {
  return call.def.vocabulary.kind == Form::lookup && is_along_rows(call) &&
         tables_.contains(ir::index(function.inputs(op)[0])) && arriving[0] == Layout::split(0);
}

bool VocabularyRules::adds_up_part(const ir::Function& function, const ir::Op& op, const ir::OpCall& call) const {
  return call.def.vocabulary.kind == Form::lookup_gradient && is_along_rows(call) && !call.has(2) &&
         lookups_.contains({function.inputs(op)[0], call.attributes.int_or("dim", 0)});
}

std::optional<Decision> VocabularyRules::decide(const ir::Function& function, const ir::Op& op, const ir::OpCall& call,
                                                std::span<const Layout> arriving) const {
  if (!active_) return std::nullopt;
  const bool lookup = looks_up_part(function, op, call, arriving), sum = adds_up_part(function, op, call);
  if (!lookup && !sum && !has_split_classes(call, arriving)) return std::nullopt;
  Decision decision{std::vector<Layout>(arriving.size()), std::vector<Layout>(call.outputs), -1};
  if (!sum) decision.inputs[0] = arriving[0];
  if (lookup) decision.outputs[0] = Layout::partial();
  if (sum) decision.outputs[0] = Layout::split(0);
  if (call.def.role == ir::Role::loss_gradient) decision.outputs[0] = arriving[0];
  return decision;
}

namespace {

ValueId of_way(const Copies& copies, size_t way) { return copies[copies.size() == 1 ? 0 : way]; }

}  // namespace

// Emits an op on the part of each way, with its attributes: the first of its rows or classes, and how many all parts
// have.
Copies VocabularyWriter::on_each_way(std::string_view name, const std::vector<const Copies*>& operands,
                                     ir::Attributes attributes, int64_t all) {
  attributes.set("all", all);
  Copies results;
  for (size_t way = 0; way < static_cast<size_t>(written_); ++way) {
    std::vector<ValueId> chosen;
    for (const Copies* copies : operands) chosen.push_back(copies == nullptr ? ValueId::none : of_way(*copies, way));
    attributes.set("first", static_cast<int64_t>(way) * (all / ways_));
    results.push_back(builder_.op(name, chosen, attributes));
  }
  return results;
}

const VocabularyWriter::Sums& VocabularyWriter::sums(const ir::Function& function, const ir::Op& op, int64_t classes,
                                                     const std::vector<const Copies*>& operands) {
  const auto [found, is_new] = sums_.try_emplace({function.inputs(op)[0], function.inputs(op)[1]});
  Sums& sums                 = found->second;
  if (!is_new) return sums;
  const auto count                 = static_cast<size_t>(written_);
  const ir::Attributes sums_of_all = of_all_ways({}, ways_, written_);
  const ir::Attributes over_classes{{"axes", std::vector<int64_t>{kClassDim}}, {"keepdims", int64_t{0}}};
  Copies largest, exponentials, label;
  for (size_t way = 0; way < count; ++way)
    largest.push_back(builder_.op("ReduceMax", {of_way(*operands[0], way)}, over_classes));
  sums.largest = builder_.emit("MPIAllreduceMax", largest, sums_of_all, count);
  for (size_t way = 0; way < count; ++way) {
    const ir::Attributes part{{"all", classes}, {"first", static_cast<int64_t>(way) * (classes / ways_)}};
    const auto terms = builder_.emit(
        "CrossEntropyTerms", {of_way(*operands[0], way), of_way(*operands[1], way), sums.largest[way]}, part, 2);
    exponentials.push_back(terms[0]);
    label.push_back(terms[1]);
  }
  sums.exponentials = builder_.emit("MPIAllreduce", exponentials, sums_of_all, count);
  sums.label        = builder_.emit("MPIAllreduce", label, sums_of_all, count);
  return sums;
}

Copies VocabularyWriter::write(const ir::Function& function, const ir::Op& op, const ir::OpCall& call,
                               const std::vector<const Copies*>& operands) {
  const auto& [kind, name] = call.def.vocabulary;
  if (kind == Form::lookup) return on_each_way(name, operands, {}, call.inputs[0].dims[0]);
  if (kind == Form::lookup_gradient) {
    const int64_t rows = call.attributes.get_int("dim");
    return on_each_way(name, operands, {{"dim", rows / ways_}}, rows);
  }
  const int64_t classes                 = call.inputs[0].dims[kClassDim];
  const Sums& of_rows                   = sums(function, op, classes, operands);
  const std::vector<const Copies*> rest = {operands.begin() + 2, operands.end()};  // the weights of the classes
  std::vector<const Copies*> chosen;
  if (call.def.role == ir::Role::loss_gradient) {
    chosen = {operands[0], operands[1], &of_rows.largest, &of_rows.exponentials};
    chosen.insert(chosen.end(), rest.begin(), rest.end());
    return on_each_way(name, chosen, call.attributes, classes);
  }
  ir::Attributes attributes = call.attributes;
  attributes.set("output_type", std::string(ir::name(call.inputs[0].dtype)));
  chosen = {&of_rows.exponentials, &of_rows.label, operands[1]};
  chosen.insert(chosen.end(), rest.begin(), rest.end());
  return on_each_way(name, chosen, attributes, classes);
}

}  // namespace foreflow::transform
