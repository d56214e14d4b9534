// Separates what each sample has of its own from what all samples share, in models whose batch is open.
#pragma once

#include <map>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::transform {

// The types of the entry's parameters, in their order, for other batches than that of the module.
struct OtherBatches {
  std::vector<ir::Type> one;           // of one sample
  std::vector<ir::Type> small;         // of `small_batch` samples, with all other open dimensions small, too
  std::vector<ir::Type> small_one;     // the same of one sample
  int64_t batch = 2, small_batch = 2;  // of the module, and of `small`
};

// Exports hold values that have the size of the batch, but no sample's content: class tokens expanded to the batch,
// masks made from Range(batch), the initial state of an LSTM. Such a value would hold the batch together. The model
// with a batch of one sample tells how to make the part of one sample, and the result is the same program with that
// part in place of the whole:
//
//   %all = Expand(%token, [8, 1, 768])             %token: of one sample
//   %y = Concat[axis = 1](%all, %patches)    ->    %all = RepeatLike[dim = 0, like_dim = 0](%token, %patches)
//                                                  %y = Concat[axis = 1](%all, %patches)
//
//   1. An elementwise op broadcasts the part of one sample.
//   2. Another op takes it repeated for the samples of its operands.
//   3. Gather and GatherND by the number of the sample become gathers within each sample.
//
// `module` is returned unchanged if its ops do not accept the other batches, or if no value is of that kind. The batch
// must be 2 or more.
ir::Module separate_samples(const ir::Module& module, const ir::OpTable& ops, const OtherBatches& others);

// The program that takes parameter i of the entry, a tensor, with dimension dims[i] first, and moves it to its place by
// a Transpose: %x[s,b,h] becomes %x[b,s,h] for {{i, 1}}.
ir::Module with_dimension_first(const ir::Module& module, const ir::OpTable& ops, const std::map<size_t, size_t>& dims);

}  // namespace foreflow::transform
