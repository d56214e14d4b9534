#include "simulate/rounds/stretches.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "foreflow/base/nth.h"
#include "simulate/fold/number_instances.h"

namespace foreflow::simulate {
namespace {

// The members of each kind, and an instance of it.
struct Kinds {
  explicit Kinds(const FoldedProgram& folded) {
    for (size_t i = 0; i < folded.kind_of_instance.size(); ++i) {
      const auto kind = static_cast<size_t>(folded.kind_of_instance[i]);
      if (kind >= members.size()) {
        members.resize(kind + 1);
        example.resize(kind + 1);
      }
      members[kind] = folded.program.instances[i].members;
      example[kind] = i;
    }
  }

  std::vector<stream::Members> members;
  std::vector<size_t> example;
};

std::vector<stream::Item> lengthened(const std::vector<stream::Item>& items, const Stretch& stretch, int64_t times) {
  const auto first = items.begin() + static_cast<ptrdiff_t>(stretch.first);
  const auto last  = first + static_cast<ptrdiff_t>(stretch.count);
  std::vector<stream::Item> all;
  all.reserve(items.size() + stretch.count * static_cast<size_t>(times));
  all.insert(all.end(), items.begin(), last);
  for (int64_t i = 0; i < times; ++i) all.insert(all.end(), first, last);
  all.insert(all.end(), last, items.end());
  return all;
}

}  // namespace

bool keep_memory(const stream::Program& program, const std::vector<size_t>& streams, const Stretches& stretches) {
  std::unordered_map<int, Bytes> change;  // by device
  for (size_t s = 0; s < streams.size(); ++s) {
    const stream::Stream& stream = program.streams[streams[s]];
    Bytes& of_device             = change[stream.device];
    for (size_t i = stretches[s].first; i < stretches[s].first + stretches[s].count; ++i)
      of_device += nth(program.memory_effects, stream.items[i].memory).net;
  }
  return std::all_of(change.begin(), change.end(), [](const auto& device) { return device.second == Bytes(0); });
}

std::optional<FoldedProgram> with_more(const FoldedProgram& folded, const Stretches& stretches,
                                       const std::vector<int64_t>& times) {
  FoldedProgram longer = folded;
  const Kinds kinds(folded);
  const bool again = std::any_of(folded.program.streams.begin(), folded.program.streams.end(),
                                 [](const stream::Stream& stream) { return stream.repeated.times > 0; });
  for (stream::DeviceUse& device : longer.program.devices) {
    if (again) device.storage = nullptr;
  }
  longer.program.instances.clear();
  longer.depths.clear();
  for (size_t s = 0; s < stretches.size(); ++s) {
    std::vector<stream::Item>& items = longer.program.streams[s].items;
    for (stream::Item& item : items) {
      if (item.instance >= 0) item.instance = nth(folded.kind_of_instance, item.instance);
    }
    items                              = lengthened(items, stretches[s], times[s]);
    longer.program.streams[s].repeated = {stretches[s].first, stretches[s].count, times[s]};
  }
  auto numbered = number_instances(longer.program, kinds.members);
  if (!numbered) return {};
  longer.kind_of_instance = *std::move(numbered);
  const auto spread       = [&](Footprints& footprints, const Footprints& before) {
    footprints.of_instance.clear();
    for (const int32_t kind : longer.kind_of_instance)
      footprints.of_instance.push_back(before.of_instance[nth(kinds.example, kind)]);
  };
  spread(longer.each, folded.each);
  spread(longer.together, folded.together);
  // Examples are instances of the program that they are of.
  for (size_t i = longer.kind_of_instance.size(); i-- > 0;) {
    const int32_t footprint = longer.together.of_instance[i];
    if (footprint >= 0) nth(longer.together.distinct, footprint).example = static_cast<int32_t>(i);
  }
  return longer;
}

std::vector<int64_t> executions(const stream::Program& program, const Stretches& stretches) {
  std::vector<int64_t> counts(program.computes.size());
  for (size_t s = 0; s < program.streams.size(); ++s) {
    const auto& [first, count] = stretches[s];
    const int64_t represented  = nth(program.devices, program.streams[s].device).count();
    for (size_t i = first; i < first + count; ++i) {
      const stream::Item& item = program.streams[s].items[i];
      if (item.instance < 0) nth(counts, item.event) += represented;
    }
  }
  return counts;
}

}  // namespace foreflow::simulate
