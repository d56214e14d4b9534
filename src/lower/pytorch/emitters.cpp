#include "foreflow/lower/pytorch.h"

namespace foreflow::lower {

const Registry<EmitterDef>& emitters() {
  static const Registry<EmitterDef> kTable("PyTorch emitter", {
#define FOREFLOW_TORCH(op, expression) EmitterDef{op, expression},
#include "lower/pytorch/emitters.def"
#undef FOREFLOW_TORCH
                                                              });
  return kTable;
}

}  // namespace foreflow::lower
