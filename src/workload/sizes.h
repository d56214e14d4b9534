// Reading the sizes of a model family.
#pragma once

#include "foreflow/workload/workload.h"

namespace foreflow::workload {

constexpr int64_t kMostLayers = 100'000;  // each is written out

// Throws Error at the key unless it is at least 1 and at most `largest`.
int64_t positive(const FilledValues& values, std::string_view key, int64_t largest = kLargestSize);

// The size of one of `heads` heads: that of the key `head_size`, else their part of a hidden size. Throws Error at the
// key `heads`, or at the sizes where they do not say it, unless it is whole.
int64_t head_size(const FilledValues& values, int64_t hidden, int64_t heads);

// Sizes of several families that follow from others.
int64_t four_hidden(const FilledValues& values);
int64_t hidden_of_head(const FilledValues& values);  // hidden / heads
int64_t same_as_heads(const FilledValues& values);
int64_t same_as_sequence(const FilledValues& values);

}  // namespace foreflow::workload
