#include "onnx/known_attributes.h"

#include <algorithm>
#include <array>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"
#include "onnx/message.h"

namespace foreflow::onnx {
namespace {

struct KnownRow {
  std::string_view op, attributes;  // separated by spaces
  int operands;                     // at most; -1: any number
};

#define KNOWN_ATTRIBUTES(op, attributes, operands) KnownRow{#op, attributes, operands},
constexpr std::array kKnown = {
#include "onnx/known_attributes.def"
};
#undef KNOWN_ATTRIBUTES
static_assert(std::is_sorted(kKnown.begin(), kKnown.end(),
                             [](const KnownRow& a, const KnownRow& b) { return a.op < b.op; }));

// Until opset 6 any op could have this hint, which inputs may be overwritten; it means nothing here.
constexpr std::string_view kHint = "consumed_inputs";

}  // namespace

void check_known(const Node& node) {
  if (!node.domain.empty()) return;
  const auto row = std::lower_bound(kKnown.begin(), kKnown.end(), node.op,
                                    [](const KnownRow& r, const std::string& op) { return r.op < op; });
  if (row == kKnown.end() || row->op != node.op) return;
  const std::vector<std::string> known = split(row->attributes, ' ');
  for (const auto& [name, value] : node.attributes) {
    if (name == kHint || std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw Error(node.where, "attribute " + quote(name) + " of " + node.op + " is not known" +
                                (row->attributes.empty() ? "; it has none" : "; it has " + list_or(known)));
  }
  if (row->operands >= 0 && node.inputs.size() > static_cast<size_t>(row->operands))
    throw Error(node.where, node.op + " has " + std::to_string(node.inputs.size()) + " operands; at most " +
                                std::to_string(row->operands) + " would be right");
}

}  // namespace foreflow::onnx
