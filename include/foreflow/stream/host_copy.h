// Copies between a device and the memory of its host: each is a communication whose only member is the stream that
// copies.
#pragma once

#include "foreflow/stream/program.h"

namespace foreflow::stream {

inline constexpr std::string_view kCopyToHost = "CopyToHost", kCopyFromHost = "CopyFromHost";

// The two steps of the host of one device before the device receives a message: the host makes a buffer (HostWork) and
// copies it to the device (StagedCopy). Each is a communication whose only member is the stream of the host, and takes
// its `fixed` time. If the platform has a link of the kind `cores`, the HostWork of all hosts of a server shares that
// link, and takes `fixed` only while it has the link for itself.
inline constexpr std::string_view kHostWork = "HostWork", kStagedCopy = "StagedCopy";

enum class HostCopy : uint8_t { none, to_host, from_host };

inline HostCopy host_copy(const Communication& communication) {
  if (communication.name == kCopyToHost) return HostCopy::to_host;
  return communication.name == kCopyFromHost ? HostCopy::from_host : HostCopy::none;
}

}  // namespace foreflow::stream
