// How many layers each stage of a pipeline has where stages end between layers, as frameworks count them.
#pragma once

#include <vector>

#include "foreflow/base/expected.h"
#include "foreflow/schedule/schedule.h"

namespace foreflow::transform {

struct LayerShare {
  // The embedding, or all that comes before the first layer, and the head, all that comes after the last, count as one
  // layer each: Megatron-LM's --account-for-embedding-in-pipeline-split and --account-for-loss-in-pipeline-split.
  bool embedding = false, head = false;
  // Layers of the first and of the last device of the pipeline, in equal parts for its stages: Megatron-LM's
  // --decoder-first-pipeline-num-layers and --decoder-last-pipeline-num-layers. 0: as many as the others.
  int first = 0, last = 0;
  // Layers of the model, as its sizes say; 0: as many as are found in the program.
  int layers = 0;

  bool counts() const { return embedding || head; }
  bool operator==(const LayerShare&) const = default;
};

// The number of layers of each virtual stage, in the order of the stages. All stages have the same number, where the
// embedding and the head count or not; with `first` or `last`, all stages of the other devices.
//
// Refuses, and says what would be right, where this is no whole number, where `first` or `last` is stated together
// with `embedding` or `head` (as Megatron-LM does), and where the first and last stages share devices.
Expected<std::vector<int>> layers_of_stages(int layers, schedule::StageMapping mapping, const schedule::Size& size,
                                            const LayerShare& share);

}  // namespace foreflow::transform
