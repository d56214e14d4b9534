#include "workload/images.h"

#include <numeric>

namespace foreflow::workload {
namespace {

Image convolved(Network& net, const Image& image, Values operands, int64_t out, Kernel kernel) {
  operands.insert(operands.begin(), image.value);
  const int64_t pad  = kernel.size / 2;
  const Value result = net.op("Conv", operands,
                              {{"kernel_shape", std::vector<int64_t>{kernel.size, kernel.size}},
                               {"pads", std::vector<int64_t>{pad, pad, pad, pad}},
                               {"strides", std::vector<int64_t>{kernel.stride, kernel.stride}}});
  return {result, out, (image.size + 2 * pad - kernel.size) / kernel.stride + 1};
}

Value kernel_weight(Network& net, const std::string& name, const Image& image, int64_t out, Kernel kernel) {
  return net.weight(name + ".weight", {out, image.channels, kernel.size, kernel.size});
}

}  // namespace

Image convolution(Network& net, const std::string& name, const Image& image, int64_t out, Kernel kernel) {
  return convolved(net, image, {kernel_weight(net, name, image, out, kernel)}, out, kernel);
}

Image biased_convolution(Network& net, const std::string& name, const Image& image, int64_t out, Kernel kernel) {
  const Value weight = kernel_weight(net, name, image, out, kernel);
  return convolved(net, image, {weight, net.weight(name + ".bias", {out})}, out, kernel);
}

Image group_norm(Network& net, const std::string& name, const Image& image, int64_t groups) {
  const ir::Dims channels{image.channels};
  const Value scale = net.weight(name + ".weight", channels), bias = net.weight(name + ".bias", channels);
  return {net.op("GroupNormalization", {image.value, scale, bias}, {{"num_groups", std::gcd(groups, image.channels)}}),
          image.channels, image.size};
}

Image batch_norm(Network& net, const std::string& name, const Image& image, Statistics statistics) {
  const auto part   = [&](const std::string& what) { return net.weight(name + "." + what, {image.channels}); };
  const Value scale = part("weight"), bias = part("bias"), mean = part("mean"), variance = part("variance");
  ir::Attributes attributes;
  if (statistics == Statistics::batch) attributes.set("training_mode", int64_t{1});
  return {net.op("BatchNormalization", {image.value, scale, bias, mean, variance}, std::move(attributes)),
          image.channels, image.size};
}

Image each(Network& net, std::string_view op, const Image& image) {
  return {net.op(op, {image.value}), image.channels, image.size};
}

}  // namespace foreflow::workload
