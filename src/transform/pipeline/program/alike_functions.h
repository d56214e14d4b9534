// Finds stages that do the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "foreflow/base/sequence_table.h"
#include "foreflow/ir/attribute_keys.h"
#include "transform/pipeline/program/stage_outliner.h"

namespace foreflow::transform {

class AlikeFunctions {
 public:
  // `values` are of the program from which the functions were cut.
  explicit AlikeFunctions(const interpret::Values<LaidOut>& values) : values_(values) {}

  // Equal for functions that differ only in names and in the numbers of recomputed segments: the same ops on parameters
  // of the same types and layouts, on the same devices of a group. Numbers count from 0.
  uint32_t number(const Outlined& outlined);

 private:
  void add_parameters(const Outlined& outlined);
  void add_ops(const ir::Function& function);

  const interpret::Values<LaidOut>& values_;
  ir::AttributeKeys attributes_;
  SequenceTable known_;
  std::vector<uint64_t> words_;  // scratch
};

}  // namespace foreflow::transform
