// The flows of a timeline as stretches of constant pace.
#pragma once

#include "foreflow/base/nth.h"
#include "foreflow/stream/timeline.h"

namespace foreflow::report {

// Calls visit(from, to, rate) for each stretch in which flow `index` keeps one pace, in time order; rate is in bytes of
// its communication per second, so a link of weight w carries w times as much. Where the timeline was not observed, one
// stretch: `bytes` of the communication spread evenly over the flow.
template <class Visit>
void for_each_stretch(const stream::Timeline& timeline, size_t index, Bytes bytes, const Visit& visit) {
  const stream::Flow& flow = timeline.flows[index];
  if (!(flow.start < flow.end)) return;
  if (timeline.paces.empty()) {
    visit(flow.start, flow.end, bytes / (flow.end - flow.start));
    return;
  }
  const std::vector<stream::Pace>& paces = timeline.paces[index];
  for (size_t i = 0; i < paces.size(); ++i)
    visit(paces[i].from, i + 1 < paces.size() ? paces[i + 1].from : flow.end, paces[i].rate);
}

// Bytes of its communication that flow `index` moves.
inline Bytes bytes_of(const stream::Program& program, const stream::Flow& flow) {
  const stream::Instance& instance = nth(program.instances, flow.instance);
  return nth(program.communications, instance.communication).bytes;
}

}  // namespace foreflow::report
