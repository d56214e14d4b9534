// Flows that repeat themselves around a machine with a rotation.
//
//   ranks    0 1 2 3 | 4 5 6 7 | 8 9 10 11       three blocks, each an image of the one before
//   flows    0>1 1>2 2>3 3>4 4>5 .. 11>0         5>6 and 9>10 are images of 1>2
#pragma once

#include <cstdint>
#include <vector>

#include "foreflow/platform/platform.h"
#include "foreflow/stream/task.h"

namespace foreflow::simulate {

struct RepeatedFlows {
  platform::Rotation rotation;  // of one part where flows do not repeat themselves
  // By flow: the number of the flow of the first block that it is an image of, its own if it is of that block. Empty
  // where flows do not repeat themselves.
  std::vector<int32_t> like;

  bool is_first(size_t flow) const { return like.empty() || like[flow] == static_cast<int32_t>(flow); }
};

RepeatedFlows not_repeated(const platform::Platform& platform);

RepeatedFlows repeated(const platform::Platform& platform, const std::vector<collective::Flow>& flows,
                       const stream::Placed& placed);

}  // namespace foreflow::simulate
