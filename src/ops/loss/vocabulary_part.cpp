#include "ops/loss/vocabulary_part.h"

#include "ops/common/letters.h"

namespace foreflow::ops {

std::optional<int64_t> VocabularyPart::position(const OpCall& call, int64_t number, int64_t count) const {
  const int64_t row = number < 0 ? number + all : number;
  if (row < 0 || row >= all) call.fail("index " + std::to_string(number) + " of " + std::to_string(all) + " rows");
  return row < first || row >= first + count ? std::nullopt : std::optional(row - first);
}

VocabularyPart part_of(const OpCall& call) {
  const VocabularyPart part{.first = call.attributes.get_int("first"), .all = call.attributes.get_int("all")};
  if (part.first < 0 || part.first > part.all) {
    call.fail("first = " + std::to_string(part.first) + " is not among all " + std::to_string(part.all) + " rows");
  }
  return part;
}

Type sums_type(const Type& logits, const Dims& rows) {
  return Type::tensor(logits.is_tensor() && logits.dtype == DType::f64 ? DType::f64 : DType::f32, rows);
}

RowLetters row_letters(size_t logits_rank, bool whole) {
  const std::string rows = whole ? dots(logits_rank - 1) : letters(logits_rank - 1);
  return {rows.substr(0, 1) + "." + rows.substr(1), rows};
}

}  // namespace foreflow::ops
