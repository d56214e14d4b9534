// Sorts what devices do into the few families that a reader tells apart by colour.
#pragma once

#include <string_view>

#include "foreflow/stream/program.h"

namespace foreflow::report {

// Families are rows of constant tables: compare their addresses.
struct Family {
  std::string_view name;
  std::string_view colour;  // "#rrggbb", to be read under dark text
};

// The family of an op: "matrix multiply", "element-wise", ...
const Family& family_of_op(std::string_view op);
// By its name.
std::string_view colour_of(std::string_view family);
const Family& family_of(const stream::Communication& communication);
// The phase of training, where the name tells it ("@stage1_forward"), else the family of the longest part.
const Family& phase_of(const stream::Compute& compute);

// The family that idle time in a row is drawn with.
extern const Family kIdle;

}  // namespace foreflow::report
