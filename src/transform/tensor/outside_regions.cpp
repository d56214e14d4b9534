#include "transform/tensor/outside_regions.h"

#include "transform/tensor/gathered_operands.h"

namespace foreflow::transform {
namespace {

// Returns true if the op looks rows of a weight up by indices that are whole.
bool is_lookup(const FunctionToShard& of, const Arrival& arrival) {
  return arrival.call.def.vocabulary.kind == ir::VocabularyForm::Kind::lookup && of.is_parameter(arrival.inputs[0]) &&
         arrival.layouts[1].is_whole() && arrival.call.attributes.int_or("axis", 0) == 0 &&
         arrival.call.known[1] == nullptr;
}

}  // namespace

Decision outside_regions(const FunctionToShard& of, const Arrival& arrival, const std::vector<bool>& looked_up) {
  std::vector<Layout> parts = arrival.layouts, summed = arrival.layouts;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].is_partial() && looked_up[ir::index(arrival.inputs[i])]) summed[i] = Layout::whole();
  }
  Decision decision = decide(arrival.call, summed, of.ways);
  if (!of.sequences || arrival.call.def.role == ir::Role::optimizer) return decision;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].is_partial() && decision.inputs[i].is_whole())
      parts[i] = of.sequences->of_activation(arrival.inputs[i], arrival.call.inputs[i], of.ways);
  }
  if (is_lookup(of, arrival)) parts[1] = of.sequences->of_indices(arrival.inputs[1], arrival.call.inputs[1], of.ways);
  if (parts == arrival.layouts) return decision;
  Decision split = decide(arrival.call, parts, of.ways);
  return refuses_split(parts, split) || !split.outputs[0].is_split() ? decision : split;
}

Layout handed_on(const FunctionToShard& of, ir::ValueId id, const Layout& made) {
  if (made.is_whole() || (made.is_split() && made.blocks == 1)) return made;
  if (!made.is_partial() || !of.sequences) return Layout::whole();
  const Layout part = of.sequences->of_activation(id, of.values[ir::index(id)].type, of.ways);
  return part.blocks == 1 ? part : Layout::whole();
}

}  // namespace foreflow::transform
