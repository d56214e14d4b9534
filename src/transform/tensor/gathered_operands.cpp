#include "transform/tensor/gathered_operands.h"

namespace foreflow::transform {

bool refuses_split(const std::vector<Layout>& arriving, const Decision& decision) {
  for (size_t i = 0; i < arriving.size(); ++i) {
    if (arriving[i].is_split() && arriving[i] != decision.inputs[i]) return true;
  }
  return false;
}

Decision with_whole_activations(const FunctionToShard& of, Arrival& arrival) {
  std::vector<Layout> layouts = arrival.layouts;
  for (size_t i = 0; i < layouts.size(); ++i) {
    if (layouts[i].is_split() && !of.is_fixed(arrival.inputs[i])) layouts[i] = Layout::whole();
  }
  Decision decision = decide(arrival.call, layouts, of.ways);
  return refuses_split(layouts, decision) ? with_everything_whole(of, arrival) : decision;
}

Decision with_everything_whole(const FunctionToShard& of, Arrival& arrival) {
  for (Layout& layout : arrival.layouts) layout = layout.is_split() ? Layout::whole() : layout;
  return decide(arrival.call, arrival.layouts, of.ways);
}

}  // namespace foreflow::transform
