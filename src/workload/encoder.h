// Shared by transformer blocks with a single product for q|k|v. Letters: b batch, s sequence, h hidden, a heads, d =
// h/a, f feed-forward.
#pragma once

#include <string>

#include "workload/attention.h"

namespace foreflow::workload {

// The heads of x[b,rows,h] after a product NAME[h,3h] with bias, each [b,a,rows,d].
struct Fused {
  Value q, k, v;
};
Fused fused_heads(Network& net, const std::string& name, Value x, const Heads& heads, int64_t rows);

// softmax(q k' / sqrt(d) + mask) v of all heads, through a product NAME[h,h] with bias: [b,rows,h].
Value attended(Network& net, const std::string& name, const Fused& fused, const Heads& heads, Extent extent,
               const Masking& masking);

// Both together for an encoder, which sees all of its rows: weights NAMEqkv and NAMEoutput.
Value encoder_attention(Network& net, const std::string& name, Value x, const Heads& heads, int64_t rows,
                        Dropout& dropout);

// x[..,h] through f numbers and Gelu (`approximate` as ONNX has it), back to h; weights NAMEup and NAMEdown.
struct Widths {
  int64_t hidden, feed_forward;
};
Value gelu_mlp(Network& net, const std::string& name, Value x, Widths widths, const std::string& approximate);

}  // namespace foreflow::workload
