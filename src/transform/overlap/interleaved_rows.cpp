#include "transform/overlap/interleaved_rows.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

ValueId reshaped(ir::FunctionBuilder& builder, ValueId value, const ir::Dims& dims) {
  return builder.op("Reshape", {value}, {{"shape", std::vector<int64_t>(dims.begin(), dims.end())}});
}

// `dims` with the rows as ranks x rows of a device.
ir::Dims by_owner(const ir::Dims& dims, const Rows& rows) {
  ir::Dims apart   = dims;
  apart[rows.axis] = rows.ranks;
  apart.insert(rows.axis + 1, dims[rows.axis] / rows.ranks);
  return apart;
}

}  // namespace

std::vector<ValueId> split_rows(ir::FunctionBuilder& builder, ValueId value, const ir::Dims& dims, const Rows& rows) {
  const auto split = [&](ValueId whole, size_t axis) {
    return builder.emit(
        "Split", {whole},
        {{"axis", static_cast<int64_t>(axis)}, {"num_outputs", int64_t{rows.chunks}}, {"placed", int64_t{1}}},
        static_cast<size_t>(rows.chunks));
  };
  if (rows.ranks == 1) return split(value, rows.axis);
  std::vector<ValueId> parts = split(reshaped(builder, value, by_owner(dims, rows)), rows.axis + 1);
  ir::Dims chunk             = dims;
  chunk[rows.axis] /= rows.chunks;
  for (ValueId& part : parts) part = reshaped(builder, part, chunk);
  return parts;
}

ValueId join_rows(ir::FunctionBuilder& builder, const std::vector<ValueId>& parts, size_t axis) {
  if (parts.size() == 1) return parts[0];
  return builder.op("Concat", parts, {{"axis", static_cast<int64_t>(axis)}, {"placed", int64_t{1}}});
}

}  // namespace foreflow::transform
