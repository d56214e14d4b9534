// Shapes that Reshapes state, for programs whose values are cut.
#pragma once

#include "transform/layout/layout_domain.h"

namespace foreflow::transform {

// The module in which every Reshape is right for one of the `ways` parts as it is for the whole. A Reshape that would
// cut another dimension of the part than its layout says leaves that dimension open instead:
//
//   %y = Reshape[shape = [-1, 4, 64]](%x)     of 12 positions x 4 samples; half of %x would get 6 positions
//   %y = Reshape[shape = [12, -1, 64]](%x)    2 samples
//
// `layouts` is the interpretation of the module, and also that of the result.
ir::Module with_cut_shapes(ir::Module module, const LayoutInterpretation& layouts, int ways);

}  // namespace foreflow::transform
