#include "foreflow/transform/layout.h"

#include <algorithm>
#include <optional>

#include "foreflow/base/nth.h"
#include "transform/rewrite/factor_text.h"

namespace foreflow::transform {
namespace {

using ir::Dims;

bool divides(const Dims& dims, const Layout& layout, int ways) {
  const auto dim = static_cast<size_t>(layout.dim);
  return dim < dims.size() && dims[dim] > 0 && dims[dim] % (layout.blocks * ways) == 0;
}

int64_t product(const Dims& dims, size_t begin, size_t end) {
  int64_t result = 1;
  for (size_t i = begin; i < end; ++i) result *= dims[i];
  return result;
}

// A letter of the factors, and the number of blocks in which it is split. An operand that holds all parts of a
// dimension in blocks has more blocks than one that holds a single part; this is the number for a single part.
struct Letter {
  char letter    = 0;
  int64_t blocks = 1;
};

bool holds_all_parts(const ir::Factors& factors, const FactorText& text, char letter, bool is_input) {
  if (letter == text.parted) return is_input;
  return letter == factors.blocked && is_input == (text.inputs.size() < text.outputs.size());
}

int64_t blocks_in(const ir::Factors& factors, const FactorText& text, bool is_input, const Letter& chosen) {
  return chosen.blocks * (holds_all_parts(factors, text, chosen.letter, is_input) ? factors.blocks : 1);
}

// The letter of the dimension along which an operand is split; 0 if the op needs that dimension whole.
Letter letter_of(const ir::Factors& factors, const FactorText& text, size_t operand, const Layout& layout) {
  if (operand >= text.inputs.size() || static_cast<size_t>(layout.dim) >= text.inputs[operand].size()) return {};
  const char letter = nth(text.inputs[operand], layout.dim);
  if (letter == '.') return {};
  if (!holds_all_parts(factors, text, letter, true)) return {letter, layout.blocks};
  if (layout.blocks % factors.blocks != 0) return {};
  return {letter, layout.blocks / factors.blocks};
}

Decision all_whole(const ir::OpCall& call) {
  return {std::vector<Layout>(call.inputs.size()), std::vector<Layout>(call.outputs), -1};
}

bool is_tensor_operand(const ir::OpCall& call, size_t i) {
  return call.has(i) && call.inputs[i].kind != ir::Type::Kind::unknown;
}

// Returns true if only the operand that OpDef::linear_operand names is partial, and all others are whole.
bool passes_partial_of_one(const ir::OpCall& call, std::span<const Layout> arriving) {
  if (call.def.linear_operand == nullptr) return false;
  const std::optional<size_t> linear = call.def.linear_operand(call);
  if (!linear) return false;
  for (size_t i = 0; i < arriving.size(); ++i) {
    if (i == *linear ? !arriving[i].is_partial() : !arriving[i].is_whole()) return false;
  }
  return true;
}

// Returns true if all tensor operands are partial and the op is linear in all of them together.
bool passes_partial(const ir::OpCall& call, std::span<const Layout> arriving) {
  if (call.def.role == ir::Role::view && !call.def.joins_operands) return arriving[0].is_partial();
  if (!call.def.additive && call.def.role != ir::Role::communication) return false;
  for (size_t i = 0; i < arriving.size(); ++i) {
    if (is_tensor_operand(call, i) && !arriving[i].is_partial()) return false;
  }
  return !arriving.empty();
}

// Returns true if only the operand that the factors mark as linear is partial, and all others are whole.
bool passes_one(const FactorText& text, std::span<const Layout> arriving) {
  if (text.linear < 0) return false;
  for (size_t i = 0; i < arriving.size(); ++i) {
    if (static_cast<int>(i) == text.linear ? !arriving[i].is_partial() : !arriving[i].is_whole()) return false;
  }
  return true;
}

Decision pass_partial(const ir::OpCall& call, std::span<const Layout> arriving) {
  Decision decision = all_whole(call);
  decision.inputs.assign(arriving.begin(), arriving.end());
  decision.outputs.assign(call.outputs, Layout::partial());
  return decision;
}

Decision decide_view(const ir::OpCall& call, std::span<const Layout> arriving, int ways) {
  Decision decision = all_whole(call);
  if (!arriving[0].is_split()) return decision;
  const std::vector<ir::Type> outputs = call.def.infer(call);
  const Dims &from = call.inputs[0].dims, &to = outputs[0].dims;
  if (ir::element_count(from) < 0 || ir::element_count(to) < 0 || !divides(from, arriving[0], ways)) return decision;
  // In row-major order a split assigns runs of elements to the ways in turn, and the pattern repeats `outer` times. The
  // new shape must have a dimension whose split does the same.
  const int64_t outer = product(from, 0, static_cast<size_t>(arriving[0].dim)) * arriving[0].blocks;
  for (size_t dim = 0; dim < to.size(); ++dim) {
    const int64_t before = product(to, 0, dim);
    if (before == 0 || outer % before != 0) continue;
    const Layout candidate = Layout::split(static_cast<int32_t>(dim), outer / before);
    if (!divides(to, candidate, ways)) continue;
    decision.inputs[0]  = arriving[0];
    decision.outputs[0] = candidate;
    return decision;
  }
  return decision;
}

// An optimizer works elementwise on each weight, its gradient and its states, so all of them have the layout of the
// weight. Operands are w1..wn, dw1..dwn (one op for many weights) or w, dw and states.
Decision decide_optimizer(const ir::OpCall& call, std::span<const Layout> arriving) {
  Decision decision = all_whole(call);
  const size_t rows = call.inputs.size() == 2 * call.outputs ? call.outputs : 1;
  for (size_t i = 0; i < decision.inputs.size(); ++i) decision.inputs[i] = arriving[i % rows];
  for (size_t i = 0; i < decision.outputs.size(); ++i) decision.outputs[i] = arriving[i % rows];
  return decision;
}

// The decision that splits the op along one letter; nothing if `ways` does not divide a dimension with that letter, or
// the groups in it.
std::optional<Decision> with_letter(const ir::OpCall& call, const ir::Factors& factors, const FactorText& text,
                                    const Letter& chosen, int ways) {
  if (chosen.letter == factors.grouped && (chosen.blocks != 1 || factors.blocks % ways != 0)) return std::nullopt;
  Decision decision = all_whole(call);
  bool summed       = false;
  for (size_t i = 0; i < text.inputs.size() && i < decision.inputs.size(); ++i) {
    const size_t dim = text.inputs[i].find(chosen.letter);
    if (dim == std::string::npos) continue;
    decision.inputs[i] = Layout::split(static_cast<int32_t>(dim), blocks_in(factors, text, true, chosen));
    if (is_tensor_operand(call, i) && !divides(call.inputs[i].dims, decision.inputs[i], ways)) return std::nullopt;
  }
  for (size_t i = 0; i < decision.outputs.size(); ++i) {
    const size_t dim   = i < text.outputs.size() ? text.outputs[i].find(chosen.letter) : std::string::npos;
    const bool missing = dim == std::string::npos;
    decision.outputs[i] =
        missing ? Layout::partial() : Layout::split(static_cast<int32_t>(dim), blocks_in(factors, text, false, chosen));
    summed = summed || missing;
  }
  if (summed && text.once >= 0 && nth(text.inputs, text.once).find(chosen.letter) == std::string::npos)
    decision.once = text.once;
  return decision;
}

// Returns true if the op multiplies all that lies along the dimensions that a quantised weight keeps whole: it rounds
// the sums, or its weight consists of blocks.
bool multiplies_whole(const ir::OpCall& call, size_t weight, const std::string& letters) {
  const ir::Type& type = call.inputs[weight];
  if (ir::is_float(type.dtype)) return false;
  double whole = 1;
  for (size_t dim = 0; dim < letters.size(); ++dim)
    whole *= letters[dim] == '.' ? static_cast<double>(type.dims[dim]) : 1;
  const std::vector<ir::Type> outputs = call.def.infer(call);
  const auto count                    = static_cast<double>(ir::element_count(outputs[0].dims));
  return whole > 1 && call.def.work(call, outputs).flops.value() >= 2 * count * whole;
}

}  // namespace

std::string sharding_spec(const Layout& layout, size_t rank) {
  FOREFLOW_CHECK(layout.is_whole() || (layout.is_split() && layout.blocks == 1), "only slices have a sharding spec");
  std::string spec;
  for (size_t dim = 0; dim < rank; ++dim)
    spec += layout.is_split() && layout.dim == static_cast<int32_t>(dim) ? "S0" : "R";
  return spec;
}

std::string to_string(const Layout& layout) {
  if (layout.is_whole()) return "whole";
  if (layout.is_partial()) return "partial";
  if (layout.is_flat()) return "flat";
  const std::string text = "split " + std::to_string(layout.dim);
  return layout.blocks == 1 ? text : text + " in " + std::to_string(layout.blocks) + " blocks";
}

Decision decide(const ir::OpCall& call, std::span<const Layout> arriving, int ways) {
  const bool untouched =
      std::all_of(arriving.begin(), arriving.end(), [](const Layout& layout) { return layout.is_whole(); });
  if (untouched || call.def.role == ir::Role::shape) {
    Decision decision = all_whole(call);
    decision.inputs.assign(arriving.begin(), arriving.end());  // a shape op reads whatever is there
    return decision;
  }
  if (call.def.role == ir::Role::optimizer) return decide_optimizer(call, arriving);
  if (passes_partial(call, arriving) || passes_partial_of_one(call, arriving)) return pass_partial(call, arriving);
  const ir::Factors factors = call.def.factors(call);
  if (factors.rule == ir::Factors::Rule::linear_view) return decide_view(call, arriving, ways);
  const FactorText text = parse_factors(factors.text);
  if (passes_one(text, arriving)) return pass_partial(call, arriving);
  for (size_t i = 0; i < arriving.size(); ++i) {
    if (!arriving[i].is_split()) continue;
    const Letter letter = letter_of(factors, text, i, arriving[i]);
    if (letter.letter == 0) continue;
    if (std::optional<Decision> decision = with_letter(call, factors, text, letter, ways)) return *std::move(decision);
  }
  return all_whole(call);
}

std::optional<Layout> starts_split(const ir::OpCall& call, size_t weight, int ways, int64_t blocks) {
  if (call.def.role != ir::Role::compute) return std::nullopt;
  const FactorText text = parse_factors(call.def.factors(call).text);
  if (weight >= text.inputs.size() || text.outputs.size() != 1) return std::nullopt;
  bool contracts       = multiplies_whole(call, weight, text.inputs[weight]);
  int column           = -1;
  const bool quantised = !ir::is_float(call.inputs[weight].dtype);
  for (size_t dim = 0; dim < text.inputs[weight].size(); ++dim) {
    const char letter = text.inputs[weight][dim];
    if (letter == '.') continue;
    bool shared = false;
    for (size_t i = 0; i < text.inputs.size(); ++i) {
      // Behind a quantised weight, or as one number for each column, stand its scales and zero points.
      const bool scales = quantised && ((weight > 0 && i > weight) || call.inputs[i].dims.size() == 1);
      shared            = shared || (i != weight && !scales && static_cast<int>(i) != text.once &&
                          text.inputs[i].find(letter) != std::string::npos);
    }
    const bool kept = text.outputs[0].find(letter) != std::string::npos;
    contracts       = contracts || (shared && !kept);
    if (!shared && kept) column = static_cast<int>(dim);
  }
  const Layout layout = Layout::split(column, blocks);
  if (!contracts || column < 0 || !divides(call.inputs[weight].dims, layout, ways)) return std::nullopt;
  return layout;
}

ir::Type local_type(const ir::Type& type, const Layout& layout, int ways) {
  if (layout.is_flat())
    return ir::Type::tensor(type.dtype, {1, (ir::element_count(type.dims) + ways - 1) / ways}, type.device);
  if (!layout.is_split() || !type.is_tensor()) return type;
  ir::Type local = type;
  int64_t& dim   = nth(local.dims, layout.dim);
  if (dim > 0) dim /= ways;
  return local;
}

ir::Attributes local_attributes(const ir::OpCall& call, const Decision& decision, std::span<const ir::Type> outputs,
                                int ways) {
  ir::Attributes attributes = call.attributes;
  if (call.def.fit_part == nullptr) return attributes;
  const Layout &operand = decision.inputs[0], &result = decision.outputs[0];
  const ir::PartOfCall part{.ways        = ways,
                            .operand_dim = operand.is_split() ? operand.dim : -1,
                            .result_dim  = result.is_split() ? result.dim : -1,
                            .cuts_blocks = operand.is_split() && operand.blocks > result.blocks};
  call.def.fit_part(attributes, call, outputs, part);
  return attributes;
}

}  // namespace foreflow::transform
