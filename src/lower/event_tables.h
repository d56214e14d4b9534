// The tables of distinct events that the fragments of a program share. Equal events have one number.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "foreflow/cost/cost.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/stream/program.h"

namespace foreflow::lower {

class EventTables {
 public:
  // `shares`: of the duration, by where the prices come from.
  int32_t number_of(stream::Compute compute, const std::array<Seconds, cost::kProvenances>& shares);
  int32_t number_of(const stream::Communication& communication);
  int32_t number_of(const stream::MemoryEffect& effect);
  // -1: of the empty renaming.
  int32_t number_of(const interpret::DeviceMap& renaming);

  std::vector<stream::Compute> computes;
  std::vector<std::array<Seconds, cost::kProvenances>> provenance;  // per compute
  std::vector<stream::Communication> communications;
  std::vector<stream::MemoryEffect> memory_effects;
  std::vector<std::vector<int32_t>> renamings;  // of devices, by calls

 private:
  std::map<std::string, int32_t> compute_index_, communication_index_;
  std::map<std::pair<double, double>, int32_t> memory_index_;
  std::map<std::vector<int32_t>, int32_t> renaming_index_;
};

}  // namespace foreflow::lower
