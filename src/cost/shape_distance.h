// How unlike two signatures are that may have as much work: a convolution of 7 x 7 and one of 1 x 1.
#pragma once

#include <string_view>

namespace foreflow::cost {

// Returns true if two signatures are of one op with one kind of attributes: "Conv{strides=[1, 1]}" of
// "Conv{strides=[1, 1]}(f32[8x3] ...".
bool have_same_attributes(std::string_view a, std::string_view b);

// The mean of |log(a / b)| over the numbers of two signatures: 0 for equal ones, 0.01 where half of the sizes of one
// are 2 % larger. Those of an op with other attributes are 0.5 apart, as if each number were 1.6 times another, and
// those that differ in more than numbers, such as in how many operands they have, 3.
double shape_distance(std::string_view a, std::string_view b);

}  // namespace foreflow::cost
