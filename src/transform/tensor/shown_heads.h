// Reshapes that show the heads, or the fused parts, of a projection in the dimension that is split.
#pragma once

#include <optional>

#include "foreflow/base/refusal.h"
#include "transform/tensor/to_shard.h"

namespace foreflow::transform {

// The number of heads that a Reshape shows in the dimension that is split, x[..,n*h] as [..,n,h]; 0: it shows none.
int64_t heads_of(const Arrival& arrival);

// The number of parts as which a Reshape shows a fused projection, x[..,3*h] as [..,3,h] or [..,3,n,h/n], if they are
// then taken apart; else 0.
int64_t parts_shown(const FunctionToShard& of, const Arrival& arrival);

// Decides what becomes of a program with views that its splits do not fit. Such a view is refused, unless it shows
// heads of keys or values that several shards share, as queries have enough heads. Each shard then computes all of them
// and takes its own, as Megatron-LM and vLLM repeat such heads. Queries may come later: only when all is planned is it
// known that there are none.
class HeadCheck {
 public:
  // A split fits this view.
  void accept(const Arrival& arrival) { has_heads_ = has_heads_ || heads_of(arrival) > 0; }
  // A split does not. Throws RefusalError, now or in `finish`.
  void refuse(const FunctionToShard& of, const Arrival& arrival);
  void finish() const;

 private:
  bool has_heads_        = false;  // a projection was split by its heads
  int64_t refused_heads_ = 0;
  std::optional<RefusalError> refusal_;  // of the most heads, which queries with more would allow
};

}  // namespace foreflow::transform
