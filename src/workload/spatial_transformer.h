// A transformer block over the pixels of an image (Petit et al., 2021; Rombach et al., 2022).
#pragma once

#include "workload/images.h"

namespace foreflow::workload {

// value[b,tokens,width]
struct Context {
  Value value;
  int64_t tokens, width;
};

// Normalised by 32 groups, projected, attended to itself and to the context, through a gated MLP (GEGLU; Shazeer,
// 2020), projected and added to the image.
Image spatial_transformer(Network& net, const std::string& name, const Image& image, int64_t heads,
                          const Context& context);

}  // namespace foreflow::workload
