#include "transform/rewrite/elementwise.h"

#include "transform/rewrite/factor_text.h"

namespace foreflow::transform {

bool is_elementwise(const ir::OpCall& call) {
  if (call.def.role != ir::Role::compute || call.inputs.empty()) return false;
  const FactorText text = parse_factors(call.def.factors(call).text);
  if (text.outputs.empty() || text.inputs.size() != call.inputs.size()) return false;
  for (size_t i = 0; i < text.inputs.size(); ++i) {
    for (size_t d = 0; d < text.inputs[i].size(); ++d) {
      const char letter = text.inputs[i][d];
      const bool single = d < call.inputs[i].dims.size() && call.inputs[i].dims[d] == 1;
      if (letter == '.' ? !single : text.outputs[0].find(letter) == std::string::npos) return false;
    }
  }
  return true;
}

}  // namespace foreflow::transform
