#include "foreflow/lower/pytorch.h"

namespace foreflow::lower {

const Registry<EmitterDef>& emitters() {
  static const Registry<EmitterDef> rows("PyTorch emitter", {
#define FOREFLOW_ROW(op, expression) EmitterDef{op, expression},
#include "lower/pytorch/emitters.def"
#undef FOREFLOW_ROW
                                                            });
  return rows;
}

}  // namespace foreflow::lower
