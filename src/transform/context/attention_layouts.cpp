#include "transform/context/attention_layouts.h"

#include "foreflow/base/nth.h"
#include "foreflow/base/refusal.h"

namespace foreflow::transform {
namespace {

constexpr int32_t kHeads = 1, kPositions = 2;  // of keys; queries have their positions last but one

// Dimension `dim` of the scores, of which the bias may have fewer, or only one: -1.
int32_t of_bias(const ir::OpCall& call, int32_t dim) {
  const auto scores    = static_cast<int32_t>(call.inputs[kQuery].dims.size());
  const ir::Dims& bias = call.inputs[kBias].dims;
  const int32_t own    = dim - (scores - static_cast<int32_t>(bias.size()));
  return own >= 0 && nth(bias, own) > 1 ? own : -1;
}

Layout along(int32_t dim, int64_t blocks) { return dim < 0 ? Layout::whole() : Layout::split(dim, blocks); }

bool is_causal(const ir::OpCall& call) { return call.attributes.int_or("causal", 0) != 0; }
bool is_attention(const ir::OpCall& call) { return call.def.kernels == ir::Kernels::attention; }
bool is_gradient(const ir::OpCall& call) { return call.def.gradient_of == ir::GradientOf::attention; }

int32_t rows_dimension(const ir::OpCall& call) { return static_cast<int32_t>(call.inputs[kQuery].dims.size()) - 2; }

// Every way has some of the rows and gathers all keys, whose gradients are then sums of parts.
Decision by_rows(const ir::OpCall& call, const Layout& rows) {
  const Layout bias   = call.has(kBias) ? along(of_bias(call, rows_dimension(call)), rows.blocks) : Layout::whole();
  const bool gradient = is_gradient(call);
  Decision decision;
  decision.inputs.assign(call.inputs.size(), rows);
  decision.inputs[kKey] = decision.inputs[kValue] = Layout::whole();
  if (call.inputs.size() > kBias) decision.inputs[kBias] = bias;
  decision.outputs.assign(call.outputs, rows);
  if (!gradient) return decision;
  decision.outputs[kKey] = decision.outputs[kValue] = Layout::partial();
  if (call.outputs > kBias) decision.outputs[kBias] = bias.is_split() ? bias : Layout::partial();
  return decision;
}

// Every tensor has `rows` of its queries or `keys`, and dimension `bias` of the bias is split as the former.
Decision split_so(const ir::OpCall& call, const Layout& rows, const Layout& keys, int32_t bias) {
  const bool gradient = is_gradient(call);
  Decision decision;
  decision.inputs = {rows, keys, keys};
  if (call.inputs.size() > kBias)
    decision.inputs.push_back(call.has(kBias) ? along(bias, rows.blocks) : Layout::whole());
  decision.inputs.resize(call.inputs.size(), rows);  // o, lse, do
  decision.outputs = gradient ? std::vector<Layout>{rows, keys, keys} : std::vector<Layout>{rows, rows};
  if (call.outputs > kBias) decision.outputs.push_back(bias < 0 ? Layout::partial() : along(bias, rows.blocks));
  return decision;
}

AttentionDecision by_heads(const ir::OpCall& call, const Decision& by_positions, int ways) {
  const int64_t heads = call.inputs[kKey].dims[kHeads];
  if (heads % ways != 0) {
    throw RefusalError(Cause::program, "split_data",
                       "all_to_all gives each of " + std::to_string(ways) +
                           " ways whole heads of keys and values, of which there are " + std::to_string(heads) +
                           "; use ring or all_gather, or a divisor of it");
  }
  const Layout all = Layout::split(kHeads);
  AttentionDecision result{split_so(call, all, all, call.has(kBias) ? of_bias(call, kHeads) : -1),
                           by_positions.outputs};
  if (!is_gradient(call)) result.outputs[1] = all;  // only the gradient reads it
  if (call.outputs > kBias) result.outputs[kBias] = result.decision.outputs[kBias];
  return result;
}

}  // namespace

std::optional<AttentionDecision> decide_attention(const ir::OpCall& call, std::span<const Layout> arriving, int ways,
                                                  ContextAttention how) {
  if (!is_attention(call)) return std::nullopt;
  const Layout &q = arriving[kQuery], &k = arriving[kKey];
  const int32_t rows = rows_dimension(call);
  const bool causal  = is_causal(call);
  if (how == ContextAttention::all_gather || how == ContextAttention::striped_all_gather) {
    if (!causal || q != Layout::split(rows, q.blocks)) return std::nullopt;
    const Decision decision = by_rows(call, q);
    return AttentionDecision{decision, decision.outputs};
  }
  const bool expected = q == Layout::split(rows, q.blocks) && k == Layout::split(kPositions, k.blocks) &&
                        arriving[kValue] == k && (!causal || q.blocks == k.blocks);
  if (!expected) return std::nullopt;
  if (causal && (call.attributes.find("order") != nullptr || call.attributes.find("run") != nullptr))
    throw RefusalError(
        Cause::program, "split_data",
        "blocks of a causal ring cannot be divided once more; let ep be a multiple of cp, or have no divisor with it");
  const Decision decision = split_so(call, q, k, call.has(kBias) ? of_bias(call, rows) : -1);
  if (how == ContextAttention::all_to_all) return by_heads(call, decision, ways);
  return AttentionDecision{decision, decision.outputs, true};
}

std::optional<ir::Attributes> attributes_of_rows(const ir::OpCall& call, const Decision& decision, int ways, int way) {
  if (!is_attention(call) || !is_causal(call)) return std::nullopt;
  const Layout& rows = decision.inputs[kQuery];
  if (!rows.is_split() || rows.dim != rows_dimension(call) || !decision.inputs[kKey].is_whole()) return std::nullopt;
  // The rows before: runs of `run` positions, each `stride` after the other. Every way gets a part of each block.
  const int64_t all    = nth(call.inputs[kQuery].dims, rows.dim);
  const int64_t run    = call.attributes.int_or("run", all);
  const int64_t stride = call.attributes.int_or("stride", run);
  const int64_t block  = all / rows.blocks;
  if (run != all && run != block) {
    throw RefusalError(Cause::program, "split_data",
                       "rows of attention that are runs of " + std::to_string(run) +
                           " positions already cannot be divided in " + std::to_string(rows.blocks) + " blocks");
  }
  ir::Attributes local = call.attributes;
  const int64_t own    = block / ways;
  local.set("first", call.attributes.int_or("first", 0) + way * own);
  if (rows.blocks > 1) local.set("run", own).set("stride", run == all ? block : stride);
  return local;
}

}  // namespace foreflow::transform
