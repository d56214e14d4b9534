#include "workload/spatial_transformer.h"

#include <cmath>

#include "workload/attention.h"
#include "workload/layers.h"

namespace foreflow::workload {
namespace {

// Letters: b batch, p pixels, t tokens attended to, c channels, a heads, d = c/a.
struct Block {
  Network& net;
  std::string name;
  int64_t pixels, channels, heads;

  // x[b,p,c] attends to context[b,t,.].
  Value attended(const std::string& part, Value x, const Context& context) const {
    const int64_t size = channels / heads;
    const auto split   = [&](const std::string& weight, Value from, int64_t rows, int64_t width) {
      const Value y = projected(net, name + part + weight, from, width, channels);
      return split_heads(net, y, rows, heads, size);
    };
    const Value q      = split(".q", x, pixels, channels);
    const Value k      = split(".k", context.value, context.tokens, context.width);
    const Value v      = split(".v", context.value, context.tokens, context.width);
    const double scale = 1 / std::sqrt(static_cast<double>(size));
    const Value y      = attend(net, q, k, v, {heads, heads, size}, {pixels, context.tokens}, scale, {});
    return linear(net, name + part + ".out", merge_heads(net, y, pixels, heads, size), channels, channels);
  }

  Value gated(Value x) const {
    const Value both   = linear(net, name + "up", x, channels, 8 * channels);
    const Values parts = net.ops("Split", {both}, {{"axis", int64_t{2}}, {"num_outputs", int64_t{2}}}, 2);
    const Value wide   = net.op("Mul", {parts[0], gelu(net, parts[1], "tanh")});
    return linear(net, name + "down", wide, 4 * channels, channels);
  }

  Value run(Value x, const Context& context) const {
    const auto norm = [&](const std::string& part) { return layer_norm(net, name + part, x, channels); };
    const Value own = norm("norm_1");
    x               = net.op("Add", {x, attended("self", own, {own, pixels, channels})});
    x               = net.op("Add", {x, attended("cross", norm("norm_2"), context)});
    return net.op("Add", {x, gated(norm("norm_3"))});
  }
};

}  // namespace

Image spatial_transformer(Network& net, const std::string& name, const Image& image, int64_t heads,
                          const Context& context) {
  const int64_t c = image.channels, pixels = image.size * image.size;
  const Image in = biased_convolution(net, name + "in", group_norm(net, name + "norm", image), c, {1});
  const Value x  = net.permuted(net.view(in.value, {0, c, pixels}), {0, 2, 1});  // [b,p,c]
  const Value y  = Block{net, name, pixels, c, heads}.run(x, context);
  const Image back{net.view(net.permuted(y, {0, 2, 1}), {0, c, image.size, image.size}), c, image.size};
  const Image out = biased_convolution(net, name + "out", back, c, {1});
  return {net.op("Add", {image.value, out.value}), c, image.size};
}

}  // namespace foreflow::workload
