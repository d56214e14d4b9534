// The program of one group of devices, of which a StageModel estimates the stages.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "foreflow/ir/module.h"
#include "transform/layout/layout_domain.h"
#include "transform/pipeline/cuts/op_prices.h"
#include "transform/pipeline/phases/phases.h"

namespace foreflow::transform {

struct ModelledProgram {
  // The batch is divided into `parts`, the microbatches of all replicas. `written`: as StagePrices::written. Throws
  // RefusalError as `pipeline` does.
  ModelledProgram(std::shared_ptr<const ir::Module> module, int parts, const ir::WrittenDevices& written);
  ModelledProgram(const ModelledProgram&)            = delete;  // `values` are of `layouts`
  ModelledProgram& operator=(const ModelledProgram&) = delete;

  // The part of the devices that run an op, or that have a value.
  double share_of(const ir::Op& op) const { return represented.copies_of(op, values) / group; }
  double share_of(size_t value) const { return represented.copies_of(values[value]) / group; }

  // The bytes of a value on a device that has it, and their mean over the devices.
  Bytes bytes_on_one(size_t value) const { return bytes_[value]; }
  Bytes bytes_of(size_t value) const { return share_of(value) * bytes_on_one(value); }
  // Returns true if a value, an activation or the gradient of one, is stored. Gradients of weights may be added up
  // where they are made.
  bool is_stored(size_t value) const;
  // The value whose memory this one has: of a view, that of its operand. A part of an activation is copied, so it has
  // memory of its own and does not keep the whole.
  size_t root_of(size_t value) const { return roots_[value]; }
  const std::vector<size_t>& roots() const { return roots_; }  // of all values
  // The value of which this one is a view, perhaps through other views, or this one.
  size_t source_of(size_t value) const { return sources_[value]; }

  const std::shared_ptr<const ir::Module> module;
  const ir::Function& function;
  const int parts;
  const LayoutInterpretation layouts;
  const interpret::Values<LaidOut>& values;
  const std::vector<StagePhase> phases;
  const std::vector<int32_t> ends, anchors;  // as of ends_of_groups and anchors_of
  const std::vector<int32_t> makers;         // per value: the op that makes it; -1: a parameter
  const DevicesOfProgram represented;
  const double group;    // number of devices
  const size_t devices;  // of the program, as they are written

 private:
  std::vector<Bytes> find_bytes() const;
  std::vector<size_t> find_sources() const;
  std::vector<size_t> find_roots() const;
  // Returns true if a view has less than the memory of its operand `of`, of which it is the only result.
  bool is_copied_part(size_t view, size_t of) const;

  const std::vector<Bytes> bytes_;             // per value: on one device
  const std::vector<size_t> sources_, roots_;  // likewise
};

}  // namespace foreflow::transform
