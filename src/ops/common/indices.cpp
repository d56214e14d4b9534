#include "ops/common/indices.h"

namespace foreflow::ops {

Offsets slice_offsets(const OpCall& call, const Dims& data, const Array& indices, int64_t batch_dims) {
  const size_t rank = indices.dims().size();
  if (rank == 0 || indices.dims().back() + batch_dims > static_cast<int64_t>(data.size())) {
    call.fail("indices " + to_string(indices.dims()) + " into data " + to_string(data) +
              "; the last dimension is too large");
  }
  const auto depth    = static_cast<size_t>(indices.dims().back());
  const auto batch    = static_cast<size_t>(batch_dims);
  const auto strides  = strides_of(data);
  const auto rest     = batch + depth;
  const Offsets inner = offsets_of(std::span(data.begin(), data.end()).subspan(rest), std::span(strides).subspan(rest));
  // Every batch holds equally many tuples.
  const Offsets batches = offsets_of(std::span(data.begin(), data.end()).first(batch), std::span(strides).first(batch));
  const std::vector<int64_t> numbers = indices.to_ints();
  const size_t tuples                = depth == 0 ? 0 : numbers.size() / depth;
  const size_t each_batch            = batches.empty() ? 0 : tuples / batches.size();
  if (tuples > 0 && (each_batch == 0 || tuples % batches.size() != 0))
    call.fail("the indices do not fit the batch dimensions of the data");
  Offsets offsets;
  for (size_t tuple = 0; tuple < tuples; ++tuple) {
    int64_t start = batches[tuple / each_batch];
    for (size_t k = 0; k < depth; ++k) {
      const int64_t dim = data[batch + k], index = numbers[tuple * depth + k];
      const int64_t row = index < 0 ? index + dim : index;
      if (row < 0 || row >= dim) {
        call.fail("index " + std::to_string(index) + " of a dimension of " + std::to_string(dim));
      }
      start += row * strides[batch + k];
    }
    for (const int64_t element : inner) offsets.push_back(start + element);
  }
  return offsets;
}

}  // namespace foreflow::ops
