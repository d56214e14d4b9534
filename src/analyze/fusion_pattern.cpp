#include "analyze/fusion_pattern.h"

#include <algorithm>
#include <span>

namespace foreflow::analyze {
namespace {

using Ops = std::span<const std::string_view>;

struct Pattern {
  std::string_view name;
  std::vector<std::string_view> ops;  // in this order, others may stand between
};

// The first that fits counts.
const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> kPatterns = {
      {"attention core", {"MatMul", "Softmax", "MatMul"}},
      {"layer normalization", {"ReduceMean", "Sub", "ReduceMean", "Sqrt", "Div"}},
      {"layer normalization", {"LayerNormalization"}},
      {"RMS normalization", {"Pow", "ReduceMean", "Sqrt"}},
      {"GELU", {"Pow", "Tanh", "Mul"}},
      {"GELU", {"Mul", "Tanh", "Mul"}},
      {"GELU", {"Erf", "Mul"}},
      {"GELU", {"Gelu"}},
      {"SiLU", {"Sigmoid", "Mul"}},
      {"softmax", {"Softmax"}},
      {"batch normalization", {"BatchNormalization"}},
      {"activation", {"Relu"}},
      {"activation", {"Tanh"}},
      {"activation", {"Sigmoid"}},
  };
  return kPatterns;
}

bool contains(Ops ops, const std::vector<std::string_view>& wanted) {
  size_t found = 0;
  for (const std::string_view op : ops) found += found < wanted.size() && op == wanted[found] ? 1 : 0;
  return found == wanted.size();
}

std::string_view name_of(Ops ops, std::string_view fallback) {
  const auto pattern =
      std::find_if(patterns().begin(), patterns().end(), [&](const Pattern& p) { return contains(ops, p.ops); });
  return pattern == patterns().end() ? fallback : pattern->name;
}

}  // namespace

std::string fusion_pattern(const std::vector<std::string_view>& ops, bool starts_with_product) {
  if (!starts_with_product) return std::string(name_of(ops, "element-wise"));
  if (contains(ops, patterns().front().ops)) return std::string(patterns().front().name);
  return std::string(ops.front()) + " + " + std::string(name_of(Ops(ops).subspan(1), "element-wise"));
}

}  // namespace foreflow::analyze
