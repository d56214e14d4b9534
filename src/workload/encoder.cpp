#include "workload/encoder.h"

#include <cmath>

#include "workload/layers.h"

namespace foreflow::workload {

Fused fused_heads(Network& net, const std::string& name, Value x, const Heads& heads, int64_t rows) {
  const int64_t hidden = heads.count * heads.size;
  const Values parts   = net.ops("Split", {linear(net, name, x, hidden, 3 * hidden)},
                                 {{"axis", int64_t{2}}, {"num_outputs", int64_t{3}}}, 3);
  const auto split     = [&](size_t i) { return split_heads(net, parts[i], rows, heads.count, heads.size); };
  const Value q = split(0), k = split(1), v = split(2);
  return {q, k, v};
}

Value attended(Network& net, const std::string& name, const Fused& fused, const Heads& heads, Extent extent,
               const Masking& masking) {
  const int64_t hidden = heads.count * heads.size;
  const double scale   = 1 / std::sqrt(static_cast<double>(heads.size));
  const Value y        = attend(net, fused.q, fused.k, fused.v, heads, extent, scale, masking);
  return linear(net, name, merge_heads(net, y, extent.rows, heads.count, heads.size), hidden, hidden);
}

Value encoder_attention(Network& net, const std::string& name, Value x, const Heads& heads, int64_t rows,
                        Dropout& dropout) {
  return attended(net, name + "output", fused_heads(net, name + "qkv", x, heads, rows), heads, {rows, rows},
                  {.dropout = &dropout});
}

Value gelu_mlp(Network& net, const std::string& name, Value x, Widths widths, const std::string& approximate) {
  const Value up = gelu(net, linear(net, name + "up", x, widths.hidden, widths.feed_forward), approximate);
  return linear(net, name + "down", up, widths.feed_forward, widths.hidden);
}

}  // namespace foreflow::workload
