#include "ops/recurrent/recurrent_cells.h"

namespace foreflow::ops::definitions::rnn {

OpDef row() {
  return recurrent::layer<recurrent::RnnCell>("RNN",
                                              "x[s,b,i], w[d,h,i], r[d,h,h], bias, lengths[b], initial h -> "
                                              "y[s,d,b,h], last h[d,b,h]: h = f(w x + r h), step by step");
}

}  // namespace foreflow::ops::definitions::rnn
