#include "ops/recurrent/recurrent_cells.h"

namespace foreflow::ops::definitions::lstm {

OpDef row() {
  return recurrent::layer<recurrent::LstmCell>(
      "LSTM",
      "x[s,b,i], w[d,4h,i], r[d,4h,h], bias, lengths[b], initial h, c, peepholes -> y[s,d,b,h], last h, c[d,b,h]");
}

}  // namespace foreflow::ops::definitions::lstm
