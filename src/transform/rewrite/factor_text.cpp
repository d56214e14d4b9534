#include "transform/rewrite/factor_text.h"

#include <algorithm>

#include "foreflow/base/text.h"

namespace foreflow::transform {

FactorText parse_factors(std::string_view text) {
  FactorText factors;
  const size_t arrow = text.find("->");
  if (arrow == std::string_view::npos) return factors;
  const size_t end = text.find(';');
  if (end != std::string_view::npos) {
    factors.parted = text[end + 1];
    text           = text.substr(0, end);
  }
  if (arrow > 0) factors.inputs = split(text.substr(0, arrow), ',');
  factors.outputs = split(text.substr(arrow + 2), ',');
  for (size_t i = 0; i < factors.inputs.size(); ++i) {
    const char mark = factors.inputs[i].empty() ? char{0} : factors.inputs[i].front();
    if (mark != '+' && mark != '~') continue;
    factors.inputs[i].erase(0, 1);
    (mark == '+' ? factors.once : factors.linear) = static_cast<int>(i);
  }
  return factors;
}

bool is_contraction(const FactorText& text) {
  if (text.inputs.size() < 2 || text.outputs.empty()) return false;
  return std::any_of(text.inputs[0].begin(), text.inputs[0].end(), [&](char letter) {
    return letter != '.' && text.inputs[1].find(letter) != std::string::npos &&
           text.outputs[0].find(letter) == std::string::npos;
  });
}

}  // namespace foreflow::transform
