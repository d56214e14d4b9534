// How unlike two signatures are that may have as much work: a convolution of 7 x 7 and one of 1 x 1.
#pragma once

#include <string_view>

namespace foreflow::cost {

// The mean of |log(a / b)| over the numbers of two signatures: 0 for equal ones, 0.01 where half of the sizes of one
// are 2 % larger. Signatures that differ in more than numbers are 3 apart, as if each number were 20 times another.
double shape_distance(std::string_view a, std::string_view b);

}  // namespace foreflow::cost
