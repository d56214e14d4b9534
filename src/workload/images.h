// Layers of convolutional networks. Letters: b batch, c channels, y rows, x columns.
#pragma once

#include <string>

#include "workload/network.h"

namespace foreflow::workload {

// value[b,channels,size,size]
struct Image {
  Value value;
  int64_t channels, size;
};

struct Kernel {
  int64_t size, stride = 1;
};
// Convolution with half its kernel as padding, so that the size is divided by the stride, rounded up. Weight
// [out,in,k,k]; `convolution` has no bias, `biased_convolution` one of [out].
Image convolution(Network& net, const std::string& name, const Image& image, int64_t out, Kernel kernel);
Image biased_convolution(Network& net, const std::string& name, const Image& image, int64_t out, Kernel kernel);

// Over runs of channels of each sample (Wu and He, 2018): 32 of them at most, as many as divide the channels.
constexpr int64_t kGroups = 32;
Image group_norm(Network& net, const std::string& name, const Image& image, int64_t groups = kGroups);

// By running statistics (weights that are not trained), or by those of the batch (which then cannot be split).
enum class Statistics : uint8_t { running, batch };
Image batch_norm(Network& net, const std::string& name, const Image& image, Statistics statistics);

// Applies `op` to every element.
Image each(Network& net, std::string_view op, const Image& image);

}  // namespace foreflow::workload
