#include "workload/layers.h"

namespace foreflow::workload {

Value projected(Network& net, const std::string& name, Value x, int64_t in, int64_t out) {
  return net.op("MatMul", {x, net.weight(name + ".weight", {in, out})});
}

Value linear(Network& net, const std::string& name, Value x, int64_t in, int64_t out) {
  const Value product = projected(net, name, x, in, out);
  return net.op("Add", {product, net.weight(name + ".bias", {out})});
}

Value layer_norm(Network& net, const std::string& name, Value x, int64_t width, double epsilon) {
  const Value weight = net.weight(name + ".weight", {width}), bias = net.weight(name + ".bias", {width});
  return net.op("LayerNormalization", {x, weight, bias}, {{"axis", int64_t{-1}}, {"epsilon", epsilon}});
}

Value rms_norm(Network& net, const std::string& name, Value x, int64_t width, double epsilon) {
  const Value weight = net.weight(name + ".weight", {width});
  return net.op("SimplifiedLayerNormalization", {x, weight}, {{"axis", int64_t{-1}}, {"epsilon", epsilon}});
}

Value silu(Network& net, Value x) { return net.op("QuickGelu", {x}, {{"alpha", 1.0}}); }

Value gelu(Network& net, Value x, const std::string& approximate) {
  return net.op("Gelu", {x}, {{"approximate", approximate}});
}

Value rows_of(Network& net, Value x, int64_t width) { return net.view(x, {-1, width}); }

Value tied_logits(Network& net, Value rows, Value table) {
  return net.op("Gemm", {rows, table}, {{"transB", int64_t{1}}}, "logits");
}

Value cross_entropy(Network& net, Value logits, Value labels, int64_t count) {
  const Value label = net.view(labels, {-1});
  return net.op("SoftmaxCrossEntropyLoss", {logits, label}, {{"count", count}}, "loss");
}

}  // namespace foreflow::workload
