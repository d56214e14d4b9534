#include "transform/context/part_slice.h"

#include <algorithm>

#include "foreflow/base/nth.h"

namespace foreflow::transform {
namespace {

// The only number of a list that the op states as an attribute.
std::optional<int64_t> only_number(const ir::OpCall& call, const char* attribute) {
  if (call.attributes.find(attribute) == nullptr) return std::nullopt;
  const std::vector<int64_t> numbers = call.attributes.get_ints(attribute);
  return numbers.size() == 1 ? std::optional(numbers[0]) : std::nullopt;
}

ir::ValueId rows(ir::FunctionBuilder& builder, ir::ValueId of, int32_t dim, int64_t start, int64_t length) {
  using Ints = std::vector<int64_t>;
  return builder.op("Slice", {of}, {{"axes", Ints{dim}}, {"starts", Ints{start}}, {"ends", Ints{start + length}}});
}

}  // namespace

std::optional<PartSlice> part_slice(const ir::OpCall& call, const ir::Type& result, const Layout& arriving, int ways) {
  if (call.def.name != "Slice" || call.inputs.size() != 1 || !arriving.is_split()) return std::nullopt;
  if (!call.inputs[0].resolved() || !result.resolved() || call.attributes.find("steps") != nullptr) return std::nullopt;
  const auto start = only_number(call, "starts"), axis = only_number(call, "axes");
  const auto rank = static_cast<int64_t>(call.inputs[0].dims.size());
  if (!start || !axis || (*axis < 0 ? *axis + rank : *axis) != arriving.dim) return std::nullopt;
  const int64_t size   = nth(call.inputs[0].dims, arriving.dim);
  const int64_t length = nth(result.dims, arriving.dim);
  if (length == 0 || size % (arriving.blocks * ways) != 0) return std::nullopt;
  // A way has a run of each block.
  const int64_t first = std::clamp<int64_t>(*start < 0 ? *start + size : *start, 0, size);
  const int64_t block = size / arriving.blocks, run = block / ways;
  if (first % run + length > run || length == size / ways) return std::nullopt;
  return PartSlice{arriving.dim, first / block * run + first % run, length, first % block / run};
}

Copies sliced_part(ir::FunctionBuilder& builder, const Copies& parts, const ir::Type& type, const PartSlice& slice,
                   Ways ways, Shrinks shrinks) {
  Copies own;
  for (const ir::ValueId part : parts) own.push_back(rows(builder, part, slice.dim, slice.start, slice.length));
  ir::Type gathered                             = type;
  gathered.dims[static_cast<size_t>(slice.dim)] = slice.length * ways.all;
  Copies all = convert(builder, {own}, Layout::split(slice.dim), Layout::whole(), gathered, ways, shrinks)[0];
  for (ir::ValueId& one : all) one = rows(builder, one, slice.dim, slice.owner * slice.length, slice.length);
  return all;
}

}  // namespace foreflow::transform
