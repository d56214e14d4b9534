// Layers that several families share. Letters: b batch, s sequence, h hidden, v vocabulary, c channels.
#pragma once

#include <string>

#include "workload/network.h"

namespace foreflow::workload {

// A parameter's name begins with that of its layer: "NAME.weight", "NAME.bias".

// x[..,in] * weight[in,out] (+ bias[out]) -> [..,out]
Value projected(Network& net, const std::string& name, Value x, int64_t in, int64_t out);  // without bias
Value linear(Network& net, const std::string& name, Value x, int64_t in, int64_t out);

// Over the last dimension, which has `width` elements.
Value layer_norm(Network& net, const std::string& name, Value x, int64_t width, double epsilon = 1e-5);
Value rms_norm(Network& net, const std::string& name, Value x, int64_t width, double epsilon = 1e-5);

Value silu(Network& net, Value x);                                  // x * Sigmoid(x)
Value gelu(Network& net, Value x, const std::string& approximate);  // "none" or "tanh"

// rows[n,h] of x[..,h]
Value rows_of(Network& net, Value x, int64_t width);

// The table that embeds tokens also reads them out: rows[n,h] * table[v,h]' -> [n,v]
Value tied_logits(Network& net, Value rows, Value table);

// Mean cross entropy of logits[n,v] and labels with n = `count` elements in all, over all devices.
Value cross_entropy(Network& net, Value logits, Value labels, int64_t count);

}  // namespace foreflow::workload
