#include "transform/layout/reshard_value.h"

#include <algorithm>

#include "foreflow/ir/replicas.h"

namespace foreflow::transform {
namespace {

// A dimension in blocks as two: [.., blocks * n, ..] <-> [.., blocks, n, ..], so that the parts lie along one
// dimension. What may change with the batch (the number of blocks, the dimensions before) is copied or inferred.
struct Opened {
  std::vector<int64_t> open, close;  // shapes of Reshape
  int64_t length, axis;              // the dimension n
};

Opened opened(const ir::Dims& dims, const Layout& layout) {
  const auto dim = static_cast<size_t>(layout.dim);
  std::vector<int64_t> shape(dim, 0);
  shape.push_back(-1);
  const int64_t length      = dims[dim] / layout.blocks;
  std::vector<int64_t> open = shape;
  open.push_back(length);
  for (auto* each : {&open, &shape}) each->insert(each->end(), dims.begin() + dim + 1, dims.end());
  return {std::move(open), std::move(shape), length, layout.dim + 1};
}

ir::Attributes along(int64_t axis) { return {{"axis", axis}}; }

}  // namespace

const Copies& Resharder::operator()(Layouts& known, const Layout& made, const Layout& wanted, const ir::Type& whole) {
  const auto found = known.find(wanted);
  if (found != known.end()) return found->second;
  if (wanted.is_whole()) {
    const auto parts =
        std::find_if(known.begin(), known.end(), [](const auto& entry) { return entry.first.is_split(); });
    return known[wanted] = parts == known.end() ? summed(known.at(made)) : gathered(parts->second, parts->first, whole);
  }
  FOREFLOW_CHECK(wanted.is_split(), "sums are made by ops, not asked for");
  if (made.is_partial() && !known.contains(Layout::whole()))
    return known[wanted] = scattered(known.at(made), wanted, whole);
  const Copies& all    = (*this)(known, made, Layout::whole(), whole);
  return known[wanted] = taken(all, wanted, whole);
}

Copies Resharder::summed(const Copies& parts) { return exchanged("MPIAllreduce", parts, {}); }

Copies Resharder::gathered(const Copies& parts, const Layout& layout, const ir::Type& whole) {
  if (layout.blocks == 1) return exchanged("MPIAllgather", parts, along(layout.dim));
  const Opened part = opened(local_type(whole, layout, ways_).dims, layout);
  Copies& open      = opened_[parts];
  if (open.empty()) open = reshaped(parts, part.open);
  return reshaped(exchanged("MPIAllgather", open, along(part.axis)), part.close);
}

Copies Resharder::scattered(const Copies& sums, const Layout& layout, const ir::Type& whole) {
  if (layout.blocks == 1) return exchanged("MPIReduceScatter", sums, along(layout.dim));
  const Opened all = opened(whole.dims, layout);
  return reshaped(exchanged("MPIReduceScatter", reshaped(sums, all.open), along(all.axis)), all.close);
}

// Way i keeps the i-th part of what it has whole, without a message.
Copies Resharder::taken(const Copies& whole_copies, const Layout& layout, const ir::Type& whole) {
  const bool blocked  = layout.blocks > 1;
  const Opened all    = opened(whole.dims, layout);
  const Copies copies = blocked ? reshaped(whole_copies, all.open) : whole_copies;
  const int64_t size = all.length / ways_, axis = blocked ? all.axis : layout.dim;
  took_unplaced_ = took_unplaced_ || copies.size() == 1;
  Copies parts;
  for (int64_t way = 0; way < written_; ++way) {
    parts.push_back(builder_.op("Slice", {copies[copies.size() == 1 ? 0 : static_cast<size_t>(way)]},
                                {{"axes", std::vector<int64_t>{axis}},
                                 {"starts", std::vector<int64_t>{way * size}},
                                 {"ends", std::vector<int64_t>{(way + 1) * size}}}));
  }
  return blocked ? reshaped(parts, all.close) : parts;
}

ir::Attributes of_all_ways(ir::Attributes attributes, int ways, int written) {
  if (written < ways) attributes.set(std::string(ir::kShards), int64_t{ways});
  return attributes;
}

Copies Resharder::exchanged(std::string_view op, const Copies& copies, ir::Attributes attributes) {
  return builder_.emit(op, copies, of_all_ways(std::move(attributes), ways_, written_), static_cast<size_t>(written_));
}

Copies Resharder::reshaped(Copies copies, const std::vector<int64_t>& shape) {
  for (ir::ValueId& id : copies) id = builder_.op("Reshape", {id}, {{"shape", shape}});
  return copies;
}

}  // namespace foreflow::transform
