// T5's relative position bias (Raffel et al., 2020): the distance of key and query falls into one of 32 buckets, near
// ones one each, far ones by its logarithm up to 128; a table has a number for each bucket and head.
#pragma once

#include <string>

#include "workload/attention.h"

namespace foreflow::workload {

class RelativeBias {
 public:
  enum class Sides : uint8_t { both, past };

  // The bias for queries and keys that both start at position 0.
  RelativeBias(Network& net, const std::string& table, int64_t heads, Sides sides, Extent extent);
  // The bias for one query per sample, at position places[b], and keys from position 0 on; earlier keys only.
  RelativeBias(Network& net, const std::string& table, int64_t heads, Value places, int64_t keys);

  // [1,a,s,t], or [b,a,1,t]: what is added to the scores.
  Value looked_up(Network& net) const;

 private:
  Value table_, buckets_;  // [32,a]; Int64 [s,t] or [b,t]
  int64_t heads_, keys_;
  bool by_sample_;
};

}  // namespace foreflow::workload
