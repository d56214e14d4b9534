#include <fmt/format.h>

#include <algorithm>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "foreflow/stream/host_copy.h"

namespace foreflow::stream {
namespace {

// The error of a single item; empty when it is valid.
std::string_view problem(const Program& program, const Item& item) {
  const auto within = [](int32_t index, size_t size) { return index >= 0 && static_cast<size_t>(index) < size; };
  if (!within(item.memory, program.memory_effects.size())) return "no such memory effect";
  if (item.instance < 0) return within(item.event, program.computes.size()) ? "" : "no such compute";
  if (!within(item.instance, program.instances.size())) return "no such instance";
  const bool same = item.event == nth(program.instances, item.instance).communication;
  return same ? "" : "the item and its instance name different communications";
}

// Marks the instances that the stream takes part in.
void verify_stream(const Program& program, size_t index, std::vector<std::vector<int32_t>>& visitors) {
  const Stream& stream = program.streams[index];
  FOREFLOW_CHECK(stream.device >= 0 && static_cast<size_t>(stream.device) < program.devices.size(),
                 stream.name + ": no such device");
  int32_t latest = -1;
  for (size_t i = 0; i < stream.items.size(); ++i) {
    const Item& item   = stream.items[i];
    const auto because = [&](std::string_view what) {
      return fmt::format("stream {}, item {}: {}", stream.name, i, what);
    };
    FOREFLOW_CHECK(problem(program, item).empty(), because(problem(program, item)));
    if (item.instance < 0) continue;
    FOREFLOW_CHECK(item.instance > latest, because("instance numbers do not increase"));
    latest = item.instance;
    nth(visitors, item.instance).push_back(static_cast<int32_t>(index));
  }
}

void verify_instance(const Program& program, size_t index, const std::vector<int32_t>& visitors) {
  const Instance& instance = program.instances[index];
  const auto because       = [&](std::string_view what) { return fmt::format("instance {}: {}", index, what); };
  FOREFLOW_CHECK(
      instance.communication >= 0 && static_cast<size_t>(instance.communication) < program.communications.size(),
      because("no such communication"));
  const Communication& communication = nth(program.communications, instance.communication);
  FOREFLOW_CHECK(communication.algorithm != nullptr, because("no algorithm"));
  const size_t ends = host_copy(communication) == HostCopy::none ? 2 : 1;
  const bool enough =
      communication.kind == collective::Kind::send ? instance.members.size() == ends : instance.members.size() >= 2;
  FOREFLOW_CHECK(communication.fixed.value_or(Seconds(0)) >= Seconds(0), because("negative duration"));
  FOREFLOW_CHECK(communication.fixed.has_value() || (communication.algorithm->does(communication.kind) && enough),
                 because("the algorithm does not support this number of ranks"));
  std::vector<int32_t> members = instance.members;
  std::sort(members.begin(), members.end());
  FOREFLOW_CHECK(members == visitors, because("its members are not the streams that list it"));
}

}  // namespace

void verify(const Program& program) {
  for (const Compute& compute : program.computes) {
    FOREFLOW_CHECK(compute.duration >= Seconds(0), compute.name + ": negative duration");
  }
  std::vector<std::vector<int32_t>> visitors(program.instances.size());
  for (size_t i = 0; i < program.streams.size(); ++i) verify_stream(program, i, visitors);
  for (size_t i = 0; i < program.instances.size(); ++i) verify_instance(program, i, visitors[i]);
}

}  // namespace foreflow::stream
