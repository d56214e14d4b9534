// Why an op needs the whole batch, in words.
#pragma once

#include "transform/layout/layout_domain.h"

namespace foreflow::transform {

// The reason for which `op` cannot run on each of `ways` parts of the batch as its operands arrive, as a clause, and
// what could be split in its stead (OpDef::instead; it may be empty):
//
//   samples are counted along dimension 0 of %x, and it ranks all elements along that dimension
//   its operands count samples along different dimensions, 0 of %a and 1 of %b, so each meets every other
//   it takes %m, (8, 4), for the whole batch, and nothing says which part of it belongs to which sample
//   dimension 0 of %x, 6, is not a multiple of 4
struct WhyWhole {
  std::string because, instead;
};
WhyWhole why_whole(const ir::Function& function, const ir::Op& op, const interpret::Values<LaidOut>& values, int ways);

}  // namespace foreflow::transform
