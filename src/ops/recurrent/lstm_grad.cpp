#include "ops/recurrent/recurrent_cells.h"

namespace foreflow::ops::definitions::lstm_grad {

OpDef row() {
  return recurrent::layer_gradient<recurrent::LstmCell>(
      "the operands of LSTM, then the gradients of its results -> the gradients of its operands but the lengths");
}

}  // namespace foreflow::ops::definitions::lstm_grad
