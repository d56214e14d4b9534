#include "platform/files/routing.h"

#include <cstdint>
#include <cstring>

#include "foreflow/base/error.h"

namespace foreflow::platform {
namespace {

template <class T>
void append(std::string& bytes, const std::vector<T>& items) {
  const uint64_t count = items.size();
  bytes.append(reinterpret_cast<const char*>(&count), sizeof count);
  bytes.append(reinterpret_cast<const char*>(items.data()), count * sizeof(T));
}

template <class T>
std::vector<T> take(const std::string& bytes, size_t& at) {
  uint64_t count = 0;
  FOREFLOW_CHECK(bytes.size() - at >= sizeof count, "the child wrote its whole answer");
  std::memcpy(&count, bytes.data() + at, sizeof count);
  at += sizeof count;
  FOREFLOW_CHECK((bytes.size() - at) / sizeof(T) >= count, "the child wrote its whole answer");
  std::vector<T> items(count);
  if (count > 0) std::memcpy(items.data(), bytes.data() + at, count * sizeof(T));
  at += count * sizeof(T);
  return items;
}

}  // namespace

std::string to_bytes(const Routing& routing) {
  std::string bytes;
  append(bytes, routing.bandwidth);
  append(bytes, routing.latency);
  append(bytes, routing.lengths);
  append(bytes, routing.crossed);
  return bytes;
}

Routing from_bytes(const std::string& bytes) {
  size_t at = 0;
  Routing routing;
  routing.bandwidth = take<double>(bytes, at);
  routing.latency   = take<double>(bytes, at);
  routing.lengths   = take<int>(bytes, at);
  routing.crossed   = take<int>(bytes, at);
  return routing;
}

}  // namespace foreflow::platform
