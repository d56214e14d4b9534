#include "foreflow/schedule/schedule.h"

#include <fmt/core.h>

namespace foreflow::schedule {

// clang-format off
namespace definitions {
#define FOREFLOW_ROW(name) namespace name { ScheduleDef row(); }
#include "schedule/schedules.def"
#undef FOREFLOW_ROW
}  // namespace definitions
// clang-format on

namespace {

// Far above any real job (a million microbatches on eight stages), far below what exhausts memory.
constexpr int64_t kMostMicrobatchStages = int64_t{1} << 23;

// Why there is no schedule of this size at all; empty: there is.
std::string refuse_counts(const Size& size) {
  if (size.devices < 1) return fmt::format("{} stages; a pipeline has at least 1", size.devices);
  if (size.microbatches < 1) return fmt::format("{} microbatches; a step has at least 1", size.microbatches);
  if (int64_t{size.devices} * size.chunks <= kMostMicrobatchStages / size.microbatches) return "";
  return fmt::format("{} stages x {} microbatches{} is too much; the product may be {} at most", size.devices,
                     size.microbatches, size.chunks == 1 ? "" : fmt::format(" x {} chunks", size.chunks),
                     kMostMicrobatchStages);
}

// How many chunks of the model a device has; two pipes are two models.
int chunks_of_model(const ScheduleDef& schedule) { return schedule.chunks / pipes(schedule); }

std::string refuse_virtual_stages(const ScheduleDef& schedule, int virtual_stages) {
  if (virtual_stages < 1) return fmt::format("{} virtual stages; a device has at least 1", virtual_stages);
  if (schedule.chunks == kAnyChunks) {
    if (virtual_stages >= 2) return "";
    return fmt::format("{} with 1 virtual stage a device interleaves nothing; use 2 or more", schedule.name);
  }
  if (virtual_stages == chunks_of_model(schedule)) return "";
  return fmt::format("{} virtual stages a device for {}, which has {}; use {}", virtual_stages, schedule.name,
                     chunks_of_model(schedule), chunks_of_model(schedule));
}

}  // namespace

const Registry<ScheduleDef>& schedules() {
  // clang-format off
  static const Registry<ScheduleDef> rows("schedule", "schedules", {
#define FOREFLOW_ROW(name) definitions::name::row(),
#include "schedule/schedules.def"
#undef FOREFLOW_ROW
  });
  // clang-format on
  return rows;
}

std::string label(const Task& task) {
  const char letter = "FBIW"[static_cast<int>(task.phase)];
  return fmt::format("{}{}{}", letter, task.microbatch, std::string(static_cast<size_t>(task.chunk), '\''));
}

int pipes(const ScheduleDef& schedule) { return schedule.mapping == StageMapping::mirrored ? 2 : 1; }

int stages(StageMapping mapping, const Size& size) {
  return mapping == StageMapping::mirrored ? size.devices : size.devices * size.chunks;
}

int stage_of(StageMapping mapping, const Size& size, int device, int chunk) {
  switch (mapping) {
    case StageMapping::looped: return chunk * size.devices + device;
    case StageMapping::vee: return chunk == 0 ? device : 2 * size.devices - 1 - device;
    case StageMapping::mirrored: return chunk == 0 ? device : size.devices - 1 - device;
  }
  FOREFLOW_CHECK(false, "an unknown stage mapping");
}

Expected<Size> try_size(const ScheduleDef& schedule, int devices, int microbatches, std::optional<int> virtual_stages) {
  Size size{devices, microbatches, schedule.chunks};
  if (schedule.chunks == kAnyChunks) size.chunks = virtual_stages.value_or(2);
  std::string why = virtual_stages ? refuse_virtual_stages(schedule, *virtual_stages) : "";
  if (why.empty()) why = refuse_counts(size);
  if (why.empty() && schedule.refuse != nullptr) why = schedule.refuse(size);
  if (!why.empty()) return Refusal(Cause::schedule, "", why);
  return size;
}

Size checked_size(const ScheduleDef& schedule, int devices, int microbatches, std::optional<int> virtual_stages,
                  const std::string& where) {
  const auto size = try_size(schedule, devices, microbatches, virtual_stages);
  if (!size) throw RefusalError(size.refusal().cause, where, size.refusal().why);
  return *size;
}

}  // namespace foreflow::schedule
