// The dimensions along which the values of a model count samples, and the values that have no sample's content.
#pragma once

#include <optional>
#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/transform/samples.h"

namespace foreflow::transform {

// The dimension that counts samples, and the elements of it that one sample has (merged batch x heads).
struct SampleDim {
  size_t dim  = 0;
  int64_t per = 1;
};

// How a value of samples relates to the number of the sample.
enum class Content : uint8_t {
  shared,  // no dimension counts samples
  data,    // it depends on the elements of the data
  same,    // equal for all samples
  index,   // known numbers that differ from sample to sample
  other    // nothing is known
};

struct SampleValues {
  interpret::MixedInterpretation whole, one, small, small_one;
  int64_t small_batch = 0;
  std::vector<Content> contents;     // per value
  std::vector<bool> same_for_all_b;  // per value: no batch changes it

  const interpret::Mixed& whole_of(ir::ValueId id) const { return whole.entry().values[ir::index(id)]; }
  const interpret::Mixed& one_of(ir::ValueId id) const { return one.entry().values[ir::index(id)]; }
  const interpret::Mixed& small_of(ir::ValueId id) const { return small.entry().values[ir::index(id)]; }
  Content content(ir::ValueId id) const { return id == ir::ValueId::none ? Content::shared : contents[ir::index(id)]; }
  // Nothing if no dimension counts samples, or if more than one differs between the batches.
  std::optional<SampleDim> dim_of(ir::ValueId id) const;
  // The differences between the samples' numbers: element k of sample b minus element k of sample 0, divided by b, for
  // every k. Nothing unless the numbers are known and grow by a constant from sample to sample.
  std::optional<std::vector<int64_t>> steps_of(ir::ValueId id) const;
};

// Nothing if the ops of the entry do not accept the batches.
std::optional<SampleValues> find_sample_values(const ir::Module& module, const OtherBatches& others);

}  // namespace foreflow::transform
