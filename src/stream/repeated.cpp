#include <algorithm>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "foreflow/stream/share.h"

namespace foreflow::stream {
namespace {

// Memory that one iteration adds on each device.
std::vector<Bytes> left_over(const Program& program) {
  std::vector<Bytes> sums(program.devices.size(), Bytes(0));
  for (const Stream& stream : program.streams) {
    for (const Item& item : stream.items) nth(sums, stream.device) += nth(program.memory_effects, item.memory).net;
  }
  return sums;
}

// The effect of an item before which `released` goes.
MemoryEffect after_release(const MemoryEffect& effect, Bytes released) {
  return {std::max(effect.peak - released, Bytes(0)), effect.net - released};
}

// Per stream, the memory effect of its first item in every iteration but the first: the first stream of a device that
// does anything releases what the iteration before left.
std::vector<int32_t> first_effects(const Program& program, std::vector<MemoryEffect>& effects) {
  std::vector<Bytes> left = left_over(program);
  std::vector<int32_t> first;
  for (const Stream& stream : program.streams) {
    first.push_back(stream.items.empty() ? 0 : stream.items.front().memory);
    Bytes& released = nth(left, stream.device);
    if (stream.items.empty() || released == Bytes(0)) continue;
    const MemoryEffect effect = after_release(nth(effects, first.back()), released);
    first.back()              = static_cast<int32_t>(effects.size());
    effects.push_back(effect);
    released = Bytes(0);
  }
  return first;
}

}  // namespace

Program repeated(const Program& program, int iterations) {
  FOREFLOW_CHECK(iterations >= 1, "a program is repeated once or more");
  Program result = program;
  if (iterations == 1) return result;
  const std::vector<int32_t> first = first_effects(program, result.memory_effects);
  const auto instances             = static_cast<int32_t>(program.instances.size());
  for (int32_t iteration = 1; iteration < iterations; ++iteration) {
    result.instances.insert(result.instances.end(), program.instances.begin(), program.instances.end());
    for (size_t s = 0; s < program.streams.size(); ++s) {
      std::vector<Item>& items = result.streams[s].items;
      const size_t begin       = items.size();
      for (Item item : program.streams[s].items) {
        if (item.instance >= 0) item.instance += iteration * instances;
        items.push_back(item);
      }
      if (items.size() > begin) items[begin].memory = first[s];
    }
  }
  return result;
}

}  // namespace foreflow::stream
