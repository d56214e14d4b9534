// Names for what a kernel computes, by the ops that it has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace foreflow::analyze {

// `ops`: names in program order. `starts_with_product`: the first is a MatMul, Gemm or Conv.
std::string fusion_pattern(const std::vector<std::string_view>& ops, bool starts_with_product);

}  // namespace foreflow::analyze
