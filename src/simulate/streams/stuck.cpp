#include "simulate/streams/stuck.h"

#include <fmt/format.h>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"

namespace foreflow::simulate {

void refuse_to_wait(const stream::Program& program, size_t stream, size_t item, size_t member) {
  const stream::Stream& waiting = program.streams[stream];
  throw PartError(
      fmt::format("stream {}, item {}", waiting.name, item),
      fmt::format("{} never starts: {} does not arrive; all members must list their communications in one order",
                  nth(program.communications, waiting.items[item].event).name, program.streams[member].name));
}

void refuse_flood(int32_t source) {
  throw PartError(
      fmt::format("disturbances.background[{}]", source),
      fmt::format("more than {} flows of others are under way at once; lengthen the period or send fewer bytes",
                  kMostForeign));
}

}  // namespace foreflow::simulate
