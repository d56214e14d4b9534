// Attention over heads, for training and with a cache of keys and values.
// Letters: b batch, s query rows, t key rows, a heads, n heads of keys and values, g = a/n, d size of a head.
#pragma once

#include <optional>
#include <string>

#include "foreflow/workload/workload.h"
#include "workload/dropout.h"
#include "workload/network.h"

namespace foreflow::workload {

struct Heads {
  int64_t count, kv_count, size;
};

// x[b,rows,a*d] -> [b,a,rows,d], and back.
Value split_heads(Network& net, Value x, int64_t rows, int64_t count, int64_t size);
Value merge_heads(Network& net, Value x, int64_t rows, int64_t count, int64_t size);

// Operations on the scores before the softmax, and on the weights after it.
struct Masking {
  std::optional<Value> added  = std::nullopt;  // [s,t] or [1,a,s,t] (only where n = a)
  std::optional<Value> hidden = std::nullopt;  // [b,1,1,t]: hides keys, 0 for the others (only where s = 1)
  Dropout* dropout            = nullptr;       // null: none
};

// softmax(scale q k' + mask) v: q[b,a,s,d], k and v[b,n,t,d] -> [b,a,s,d]. Head i of q goes with head i/g of k
// (grouped-query attention; Ainslie et al., 2023).
struct Extent {
  int64_t rows, keys;
};
Value attend(Network& net, Value q, Value k, Value v, const Heads& heads, Extent extent, double scale,
             const Masking& masking);

// [rows,rows]: 0 where a position may attend, a large negative number where it may not.
Value causal_mask(Network& net, int64_t rows);

// Rotary position embedding (Su et al., 2021): tables for positions below `rows` with angles position * base^(-2i/d).
struct Rotary {
  Value positions, cosine, sine;  // positions: Int64 [1,s], or [b,s]
};
Rotary rotary(Network& net, Value positions, int64_t rows, int64_t size, int64_t base);
Value rotated(Network& net, Value x, const Rotary& rotary);  // x[b,a,s,d]

// One decoding step with a cache: every sample has `context` tokens, and room for one more.
struct Cache {
  int64_t batch, room;
  ir::DType dtype;
  Value places;  // Int64 [b]: number of tokens of each sample
  Value hidden;  // [b,1,1,t]: far below 0 for rows that are still empty, else 0
};
Cache cache(Network& net, int64_t batch, int64_t context, ir::DType dtype);
// Data parameter `name` [b,n,room,d] of the cache's type, with fresh[b,n,1,d] written into it, in place.
Value remembered(Network& net, const std::string& name, Value fresh, const Heads& heads, const Cache& cache);

// Key `phase` of inference: prefill works on whole sequences and returns keys and values; decode makes one more token.
enum class Phase : uint8_t { prefill, decode };
Phase read_phase(const FilledValues& values);
Key phase_key();

// Key `cache_dtype` of inference: the type in which keys and values are kept; that of the network where none is stated.
ir::DType read_cache_dtype(const FilledValues& values, const Request& request);
Key cache_dtype_key();

}  // namespace foreflow::workload
