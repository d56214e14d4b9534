// Rotary position embedding (Su et al., 2021): pairs of numbers of a head are turned by an angle that grows with the
// position.
#pragma once

#include <algorithm>

#include "foreflow/base/nth.h"
#include "ops/attention/attention_core.h"
#include "ops/common/expected.h"
#include "ops/common/kernel.h"

namespace foreflow::ops {

enum class Pairs : uint8_t { halves, neighbours };  // (i, i + r/2) or (2i, 2i + 1)

struct Rotation {
  std::vector<double> cosine, sine;  // [positions, half]
  int64_t half = 0;                  // pairs that are turned; the rest of a head stays
  Pairs pairs  = Pairs::halves;
};

// Fails unless both tables are [positions,r/2], with r at most the size of a head. `size` may be unknown.
inline void check_rotation(const OpCall& call, size_t cosine, size_t sine, int64_t size) {
  const Type table = tensor_operand(call, cosine);
  if (!has_rank(table)) return;
  if (table.dims.size() != 2 || table.dims[1] == 0 || (size >= 0 && table.dims[1] > size / 2))
    call.fail("cos_cache is " + to_string(table.dims) + "; [positions,r/2] with r of at most " +
              (size < 0 ? "the size of a head" : std::to_string(size)) + " would be right");
  check_dims(call, sine, table.dims, "sin_cache");
}

inline Rotation rotation_of(const OpCall& call, size_t cosine, size_t sine, std::string_view interleaved) {
  return {values_of<double>(value_of(call, cosine)), values_of<double>(value_of(call, sine)),
          value_of(call, cosine).dims().back(),
          call.attributes.int_or(interleaved, 0) != 0 ? Pairs::neighbours : Pairs::halves};
}

// Returns `work`, which reads both tables whole, with reads of the angles of `rows` positions only. A position that
// several rows of x have counts for each of them, up to the whole table.
inline Work looking_up(Work work, const OpCall& call, size_t cosine, size_t sine, double rows) {
  for (const size_t index : {cosine, sine}) {
    if (!call.has(index)) continue;
    const Type table = tensor_operand(call, index);
    if (!has_dims(table) || table.dims.empty() || table.dims[0] < 1) continue;
    const Bytes all = ir::bytes_of(table);
    work.read -= all - std::min(all, all / static_cast<double>(table.dims[0]) * rows);
  }
  return work;
}

// `position(b, row)` is a row of the tables.
template <class Position>
void rotate(const OpCall& call, HeadTensor& x, const Rotation& rotation, const Position& position) {
  const bool halves = rotation.pairs == Pairs::halves;
  for (int64_t b = 0; b < x.batch; ++b) {
    for (int64_t row = 0; row < x.rows; ++row) {
      const int64_t at = position(b, row) * rotation.half;
      if (at < 0 || at + rotation.half > static_cast<int64_t>(rotation.cosine.size()))
        call.fail("position " + std::to_string(position(b, row)) + " is not in cos_cache");
      for (int64_t n = 0; n < x.heads; ++n) {
        double* const head = x.values.data() + x.offset(b, n, row);
        for (int64_t i = 0; i < rotation.half; ++i) {
          double &first = head[halves ? i : 2 * i], &second = head[halves ? i + rotation.half : 2 * i + 1];
          const double c = nth(rotation.cosine, at + i), s = nth(rotation.sine, at + i);
          const double turned = first * c - second * s;
          second              = second * c + first * s;
          first               = turned;
        }
      }
    }
  }
}

}  // namespace foreflow::ops
