// Mean relative errors of the times of cost models against measurements that they were not fitted to.
#pragma once

namespace foreflow::cost {

constexpr double kRooflineError     = 0.32;   // 240 iterations of GPT on 2 A100 (vTrain) with the parameters by default
constexpr double kDistirError       = 0.12;   // 73 iterations on 4 V100 (`foreflow reproduce distir_figure10`)
constexpr double kTableError        = 0.054;  // 20 programs predicted from their own profiles (docs/reality.md)
constexpr double kInterpolatedError = 0.095;  // 293 signatures held out (docs/reality.md)
constexpr double kLineError         = 0.2;    // an assumption: a fitted line beyond its points

}  // namespace foreflow::cost
