#include "ops/recurrent/recurrent_cells.h"

namespace foreflow::ops::definitions::gru {

OpDef row() {
  return recurrent::layer<recurrent::GruCell>("GRU",
                                              "x[s,b,i], w[d,3h,i], r[d,3h,h], bias, lengths[b], initial h -> "
                                              "y[s,d,b,h], last h[d,b,h]: gated recurrent units");
}

}  // namespace foreflow::ops::definitions::gru
