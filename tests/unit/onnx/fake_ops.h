// An op table with names only: the importer asks no more of it.
#pragma once

#include "foreflow/ir/op_def.h"

namespace foreflow::test {

inline const ir::OpTable& fake_ops() {
  static const ir::OpTable table("op", "ops", [] {
    std::vector<ir::OpDef> rows;
    for (const char* name : {"Add",        "BatchNormalization",
                             "Cast",       "Concat",
                             "Constant",   "ConstantOfShape",
                             "Div",        "Dropout",
                             "EyeLike",    "Hardmax",
                             "Gather",     "Gemm",
                             "LogSoftmax", "MatMul",
                             "Mul",        "NonZero",
                             "Pad",        "PRelu",
                             "Pow",        "ReduceMean",
                             "Relu",       "Reshape",
                             "Resize",     "ScatterElements",
                             "Shape",      "Slice",
                             "Softmax",    "Split",
                             "Sqrt",       "Squeeze",
                             "Sub",        "Tanh",
                             "Transpose",  "Unsqueeze"}) {
      rows.push_back({.name = name, .doc = ""});
    }
    rows.push_back({.name = "FastGelu", .doc = "", .domain = "com.microsoft"});
    rows.push_back({.name = "Send", .doc = "", .domain = "foreflow"});
    return rows;
  }());
  return table;
}

}  // namespace foreflow::test
