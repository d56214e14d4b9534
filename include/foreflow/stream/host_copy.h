// Copies between a device and the memory of its host: each is a communication whose only member is the stream that
// copies.
#pragma once

#include "foreflow/stream/program.h"

namespace foreflow::stream {

inline constexpr std::string_view kCopyToHost = "CopyToHost", kCopyFromHost = "CopyFromHost";

// What the host of one device does before it receives a message: a communication whose only member is its stream, and
// which takes what is `fixed`. Work shares the link of the kind `cores` with that of other hosts where the platform has
// one: it takes `fixed` when it has the link for itself.
inline constexpr std::string_view kHostWork = "HostWork", kStagedCopy = "StagedCopy";

enum class HostCopy : uint8_t { none, to_host, from_host };

inline HostCopy host_copy(const Communication& communication) {
  if (communication.name == kCopyToHost) return HostCopy::to_host;
  return communication.name == kCopyFromHost ? HostCopy::from_host : HostCopy::none;
}

}  // namespace foreflow::stream
