#include "foreflow/cost/signature.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "foreflow/ir/fp8.h"
#include "foreflow/ir/pipeline_ends.h"
#include "foreflow/ir/replicas.h"

namespace foreflow::cost {
namespace {

std::string text(const ir::Type& type) {
  if (type.is_tuple()) {
    std::string all = "(";
    for (const ir::Type& element : type.elements) all += (&element == type.elements.data() ? "" : " ") + text(element);
    return all + ")";
  }
  if (type.kind == ir::Type::Kind::unknown) return "_";
  std::string dims;
  for (const int64_t dim : type.dims) dims += fmt::format("{}{}", dims.empty() ? "" : "x", dim);
  return fmt::format("{}[{}]", ir::short_name(type.dtype), dims);
}

std::string text(std::span<const ir::Type> types) {
  std::string all;
  for (const ir::Type& type : types) all += (&type == types.data() ? "" : " ") + text(type);
  return all;
}

// Attributes that do not change the work: the seed, the numbers of targets and of copies that a sum is divided by, what
// a gradient reads, and the marks of recomputation, of pipelines, of shared updates and of inference in fp8.
constexpr std::string_view kAside[] = {"seed",        "count",           "copies",          "segment",   "recompute",
                                       "keeps_input", ir::kPipelineEnds, ir::kFp8Inference, ir::kSharers};

bool is_aside(std::string_view attribute) {
  return std::find(std::begin(kAside), std::end(kAside), attribute) != std::end(kAside);
}

std::string text(const ir::Attributes& attributes) {
  std::string all;
  for (const auto& [name, value] : attributes) {
    if (is_aside(name)) continue;
    const auto* array = std::get_if<ir::Array>(&value);
    all +=
        fmt::format("{}{}={}", all.empty() ? "" : " ", name, array != nullptr ? text(array->type()) : to_string(value));
  }
  return all.empty() ? "" : "{" + all + "}";
}

// The end of the attribute that begins at `at`: a space outside of brackets and quotes, or the `}` after the last one.
size_t end_of_attribute(std::string_view text, size_t at) {
  int depth   = 0;
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char letter = text[at];
    if (quoted && letter == '\\') {
      ++at;
    } else if (letter == '"') {
      quoted = !quoted;
    } else if (!quoted && depth == 0 && (letter == ' ' || letter == '}')) {
      break;
    } else if (!quoted) {
      depth += (letter == '[') - (letter == ']');
    }
  }
  return std::min(at, text.size());
}

// The first tensor of a type; null: it has none.
const ir::Type* first_leaf(const ir::Type& type) {
  if (!type.is_tuple()) return type.kind == ir::Type::Kind::unknown ? nullptr : &type;
  for (const ir::Type& element : type.elements) {
    if (const ir::Type* leaf = first_leaf(element)) return leaf;
  }
  return nullptr;
}

}  // namespace

std::string signature(const ir::OpCall& call, std::span<const ir::Type> outputs) {
  return fmt::format("{}{}({}) -> {}", call.def.name, text(call.attributes), text(call.inputs), text(outputs));
}

std::string current_signature(std::string_view written) {
  const size_t open = written.find_first_of("{(");
  if (open == std::string_view::npos || written[open] != '{') return std::string(written);
  std::string kept;
  size_t at = open;
  while (at < written.size() && written[at] != '}') {
    const size_t begin = at + 1, end = end_of_attribute(written, begin);
    const std::string_view attribute = written.substr(begin, end - begin);
    if (!is_aside(attribute.substr(0, attribute.find('=')))) kept += (kept.empty() ? "" : " ") + std::string(attribute);
    at = end;
  }
  if (at == written.size()) return std::string(written);
  return std::string(written.substr(0, open)) + (kept.empty() ? "" : "{" + kept + "}") +
         std::string(written.substr(at + 1));
}

std::string message_signature(std::string_view op, Bytes bytes, int ranks) {
  return fmt::format("{} {} B over {}", op, static_cast<int64_t>(bytes.value()), ranks);
}

std::string_view dtype_of(std::span<const ir::Type> inputs, std::span<const ir::Type> outputs) {
  const ir::Type* first = nullptr;
  for (const std::span<const ir::Type> side : {inputs, outputs}) {
    for (const ir::Type& type : side) {
      const ir::Type* leaf = first_leaf(type);
      if (leaf == nullptr) continue;
      if (first == nullptr) first = leaf;
      if (side.data() == inputs.data() && ir::is_float(leaf->dtype)) return ir::short_name(leaf->dtype);
    }
  }
  return ir::short_name(first == nullptr ? ir::DType::f32 : first->dtype);
}

Bytes message_bytes(const ir::OpDef& op, const ir::Type& operand, const ir::Type& result) {
  const bool joins = op.communication == ir::Communication::all_gather || op.communication == ir::Communication::gather;
  return ir::bytes_of(joins ? result : operand);
}

}  // namespace foreflow::cost
