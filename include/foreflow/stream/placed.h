// The communications of a compact program as groups of its ranks carry them out: with the algorithm of their dimension
// of the devices, and with the time that was measured on as many nodes.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "foreflow/stream/compact.h"

namespace foreflow::stream {

class PlacedCommunications {
 public:
  // `all` begins as a copy of the program's communications and grows by those that groups need. Both must outlive it.
  PlacedCommunications(const CompactProgram& program, std::vector<Communication>& all) : program_(program), all_(all) {}

  // False if the communication is the same for all groups.
  bool depends_on_ranks(int32_t communication) const;

  // The number in `all` of the communication among `ranks`.
  int32_t of(int32_t communication, const std::vector<int>& ranks);

 private:
  const CompactProgram& program_;
  std::vector<Communication>& all_;
  // By communication, algorithm and number of nodes, 0 where it does not matter.
  std::map<std::tuple<int32_t, const collective::AlgorithmDef*, int>, int32_t> numbers_;
};

}  // namespace foreflow::stream
