// A mark of conversions that kernels of a loss do.
#pragma once

#include <string_view>

namespace foreflow::ir {

// On a Cast: the kernels of a loss convert, so that it takes no time of its own, and no kernel is issued for it.
inline constexpr std::string_view kInLoss = "in_loss";

}  // namespace foreflow::ir
