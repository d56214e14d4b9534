#include "ops/recurrent/recurrent_cells.h"

namespace foreflow::ops::definitions::gru_grad {

OpDef row() {
  return recurrent::layer_gradient<recurrent::GruCell>(
      "the operands of GRU, then the gradients of its results -> the gradients of its operands but the lengths");
}

}  // namespace foreflow::ops::definitions::gru_grad
