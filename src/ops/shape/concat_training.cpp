#include "ops/common/axes.h"
#include "ops/common/table_rows.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::concat_training {

namespace {

// The lengths of the operands along the axis.
Array lengths(const OpCall& call) {
  std::vector<int64_t> all;
  for (size_t i = 0; i < call.arity(); ++i) {
    const Dims& dims = value_of(call, i).dims();
    all.push_back(dims[normal_axis(call, call.attributes.get_int("axis"), dims.size())]);
  }
  return Array::of_ints({static_cast<int64_t>(all.size())}, all);
}

}  // namespace

OpDef row() {
  return {
      .name          = "ConcatTraining",
      .doc           = "x0[a,n0,b], x1[a,n1,b], .. -> their Concat along `axis`, and n0, n1, ..",
      .domain        = "com.microsoft",
      .whole_because = "it joins its operands along that dimension",
      .infer =
          [](const OpCall& call) {
            std::vector<Type> types = row_of("Concat").infer(call);
            if (call.outputs > 1) types.push_back(i64({static_cast<int64_t>(call.arity())}));
            return types;
          },
      .factors = [](const OpCall& call) { return call.outputs > 1 ? Factors{} : row_of("Concat").factors(call); },
      .work    = [](const OpCall& call, std::span<const Type> outputs) { return moves(call, outputs); },
      .eval =
          [](const OpCall& call) {
            std::vector<Array> results = row_of("Concat").eval(call);
            if (call.outputs > 1) results.push_back(lengths(call));
            return results;
          },
      .samples =
          [] {
            return std::vector<Sample>{
                {.attributes = {{"axis", 1}}, .inputs = {f32({2, 4}), f32({2, 3})}, .outputs = 2},
                {.attributes = {{"axis", 0}}, .inputs = {i64({1}), i64({2}), i64({1})}, .outputs = 1}};
          },
  };
}

}  // namespace foreflow::ops::definitions::concat_training
