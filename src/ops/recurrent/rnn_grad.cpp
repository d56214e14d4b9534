#include "ops/recurrent/recurrent_cells.h"

namespace foreflow::ops::definitions::rnn_grad {

OpDef row() {
  return recurrent::layer_gradient<recurrent::RnnCell>(
      "the operands of RNN, then the gradients of its results -> the gradients of its operands but the lengths");
}

}  // namespace foreflow::ops::definitions::rnn_grad
