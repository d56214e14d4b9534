// The attributes that ops on a part of a vocabulary share: `first`, the number of the part's first row or class, and
// `all`, the number of rows or classes that all parts have together.
#pragma once

#include "ops/loss/cross_entropy.h"

namespace foreflow::ops {

struct VocabularyPart {
  int64_t first, all;

  // The position within a part of `count` of a number that counts from the end where it is negative; nothing: it is in
  // another part. Fails outside of the vocabulary.
  std::optional<int64_t> position(const OpCall& call, int64_t number, int64_t count) const;
};
VocabularyPart part_of(const OpCall& call);

// The type in which sums over classes are computed: Float32, unless the logits are wider.
Type sums_type(const Type& logits, const Dims& rows);

// The letters of logits [n,c,..], whose classes stay whole, and of rows [n,..]: dots where the rows stay `whole` too.
struct RowLetters {
  std::string logits, rows;
};
RowLetters row_letters(size_t logits_rank, bool whole);

}  // namespace foreflow::ops
