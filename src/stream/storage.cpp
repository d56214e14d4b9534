#include "foreflow/stream/storage.h"

#include <algorithm>
#include <array>
#include <map>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "foreflow/stream/name_marks.h"
#include "foreflow/stream/program.h"

namespace foreflow::stream {
namespace {

constexpr int32_t kEmpty = -1;

// Follows the calls for one device.
class Walker {
 public:
  Walker(const Storage& storage, int32_t device) : storage_(storage), device_(device) {}

  Trail run(const std::vector<std::string>& streams) {
    for (const std::string& stream : streams) rows_[stream].first.push_back(0);
    std::vector<int32_t> slots(static_cast<size_t>(root().slots), kEmpty);
    for (const Storage::Initial& initial : storage_.initial) {
      if (initial.device != device_) continue;
      const int32_t made = make(initial.buffer);
      if (initial.slot >= 0) nth(slots, initial.slot) = made;
    }
    trail_.initial = trail_.buffers.size();
    follow(root(), {}, slots);
    for (const std::string& stream : streams) {
      Trail::Row& row  = rows_.at(stream);
      row.first.back() = static_cast<uint32_t>(row.changes.size());  // what comes after the last item belongs to it
      trail_.rows.push_back(std::move(row));
    }
    return std::move(trail_);
  }

 private:
  const Storage::Procedure& root() const { return nth(storage_.procedures, storage_.root); }

  int32_t outside(int32_t device, const std::vector<int32_t>& map) const {
    if (map.empty()) return device == Storage::kNoDevice ? storage_.first_device : device;
    return nth(map, device == Storage::kNoDevice ? 0 : device - 1);
  }

  int32_t make(int32_t buffer) {
    trail_.buffers.push_back(buffer);
    return static_cast<int32_t>(trail_.buffers.size()) - 1;
  }

  void follow(const Storage::Procedure& procedure, const std::vector<int32_t>& map, std::vector<int32_t>& slots) {
    for (const Storage::Step& step : procedure.steps) {
      if (step.is_call) {
        call(nth(procedure.calls, step.index), map, slots);
      } else {
        work(procedure, nth(procedure.works, step.index), map, slots);
      }
    }
  }

  void work(const Storage::Procedure& procedure, const Storage::Work& work, const std::vector<int32_t>& map,
            std::vector<int32_t>& slots) {
    const Storage::Lane& lane = nth(procedure.lanes, work.lane);
    if (outside(lane.device, map) != device_) return;
    Trail::Row& row = rows_.at(lane.stream);
    for (uint32_t i = work.first; i < work.last; ++i) {
      const Storage::Touch& touch = procedure.touches[i];
      int32_t& slot               = nth(slots, touch.slot);
      const bool made             = touch.buffer >= 0;
      if (made) slot = make(touch.buffer);
      if (slot != kEmpty) row.changes.push_back({slot, made});
      if (!made) slot = kEmpty;
    }
    if (work.item) row.first.push_back(static_cast<uint32_t>(row.changes.size()));  // where the next one begins
  }

  void call(const Storage::Call& call, const std::vector<int32_t>& map, std::vector<int32_t>& slots) {
    const Storage::Procedure& callee = nth(storage_.procedures, call.procedure);
    std::vector<int32_t> inner       = call.devices.empty() ? map : call.devices;
    if (!call.devices.empty() && !map.empty()) {
      for (int32_t& device : inner) device = nth(map, device - 1);
    }
    const bool here = std::any_of(callee.devices.begin(), callee.devices.end(),
                                  [&](int32_t device) { return outside(device, inner) == device_; });
    if (!here) return;
    std::vector<int32_t> own(static_cast<size_t>(callee.slots), kEmpty);
    for (size_t i = 0; i < call.arguments.size(); ++i) {
      if (call.arguments[i] >= 0) own[i] = nth(slots, call.arguments[i]);
    }
    follow(callee, inner, own);
    for (size_t i = 0; i < call.results.size(); ++i) nth(slots, call.results[i]) = nth(own, callee.results[i]);
  }

  const Storage& storage_;
  const int32_t device_;
  Trail trail_;
  std::map<std::string, Trail::Row> rows_;
};

// The row of a stream in which some items are repeated.
Trail::Row lengthened(const Trail::Row& row, const Repetition& repeated) {
  Trail::Row longer{{0}, {}};
  const auto add = [&](size_t item) {
    const auto from = row.changes.begin() + row.first[item], to = row.changes.begin() + row.first[item + 1];
    longer.changes.insert(longer.changes.end(), from, to);
    longer.first.push_back(static_cast<uint32_t>(longer.changes.size()));
  };
  const size_t end = repeated.first + repeated.count;
  for (size_t item = 0; item < end; ++item) add(item);
  for (int64_t again = 0; again < repeated.times; ++again) {
    for (size_t item = repeated.first; item < end; ++item) add(item);
  }
  for (size_t item = end; item + 1 < row.first.size(); ++item) add(item);
  return longer;
}

// A program of several iterations has the items of its storage as many times.
void check_items(const Trail& trail, const Program& program, int device) {
  size_t row = 0;
  for (const Stream& stream : program.streams) {
    if (stream.device != device) continue;
    const size_t items = stream.items.size(), known = trail.rows[row++].first.size() - 1;
    FOREFLOW_CHECK(known == 0 ? items == 0 : items % known == 0, "a storage has every item of the program");
  }
}

}  // namespace

std::string_view name(MemoryClass kind) {
  constexpr std::array<std::string_view, kMemoryClasses> kNames = {
      "parameters", "gradients", "optimizer_state", "activations", "workspace", "communication", "data"};
  return nth(kNames, kind);
}

int32_t Storage::written_device(int32_t device) const {
  int32_t rank = device - first_device;
  if (of_replica > 0) rank %= of_replica;
  return first_device + (places.empty() ? rank : nth(places, rank).written);
}

std::string Storage::name_of(const Buffer& buffer, int32_t device) const {
  const std::string& name = nth(names, buffer.name);
  if (places.empty()) return name;
  int32_t number = device - first_device;
  if (of_replica > 0) number %= of_replica;
  const auto& [written, shard, rank] = nth(places, number);
  std::string own;
  for (const char c : name) {
    if (c == kShardMark) {
      own += std::to_string(shard + 1);
    } else if (c == kRankMark) {
      own += std::to_string(rank + 1);
    } else {
      own += c;
    }
  }
  return own;
}

Trail trail(const Program& program, int device) {
  const DeviceUse& use = nth(program.devices, device);
  FOREFLOW_CHECK(use.storage != nullptr, "this program does not say what its memory holds");
  std::vector<std::string> streams;
  for (const Stream& stream : program.streams) {
    if (stream.device != device) continue;
    const size_t slash = stream.name.rfind('/'), dot = stream.name.find('.', slash == std::string::npos ? 0 : slash);
    streams.push_back(dot == std::string::npos ? "" : stream.name.substr(dot + 1));
  }
  Trail found = Walker(*use.storage, use.storage->written_device(use.index)).run(streams);
  size_t row  = 0;
  for (const Stream& stream : program.streams) {
    if (stream.device != device) continue;
    if (stream.repeated.times > 0) found.rows[row] = lengthened(found.rows[row], stream.repeated);
    ++row;
  }
  check_items(found, program, device);
  return found;
}

}  // namespace foreflow::stream
