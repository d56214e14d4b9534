#include "lower/recorder.h"

#include <array>

#include "foreflow/base/nth.h"
#include "foreflow/ir/uses.h"

namespace foreflow::lower {
namespace {

using stream::MemoryClass;

// If several values share a buffer, the one with the highest rank determines its class and name.
int rank(MemoryClass kind) {
  constexpr std::array<int, stream::kMemoryClasses> kRanks = {3, 5, 3, 4, 0, 1, 2};
  return nth(kRanks, kind);
}

}  // namespace

Ledger::Ledger(const ir::Module& module, bool records)
    : module_(module),
      records_(records),
      classes_(records ? classify(module) : ValueClasses({}, {})),
      makers_(module.functions.size()) {}

const std::vector<int32_t>& Ledger::makers(size_t function) {
  std::vector<int32_t>& makers = makers_[function];
  const ir::Function& f        = module_.functions[function];
  if (records_ && makers.size() != f.values.size()) makers = ir::makers_of(f);
  return makers;
}

int32_t Ledger::buffer(const std::string& name, MemoryClass kind, Bytes size) {
  if (!records_) return -1;
  const auto [found, fresh] = names_.try_emplace(name, static_cast<int32_t>(storage.names.size()));
  if (fresh) storage.names.push_back(name);
  storage.buffers.push_back({found->second, kind, size});
  return static_cast<int32_t>(storage.buffers.size()) - 1;
}

Recorder::Recorder(Ledger& ledger, const ir::Function& function, size_t number, const Liveness& live)
    : ledger_(ledger),
      function_(function),
      live_(live),
      number_(number),
      makers_(ledger.makers(number)),
      named_by_(ledger.records() ? function.values.size() : 0, -1) {
  if (!ledger.records()) return;
  for (size_t value = 0; value < function.values.size(); ++value) {
    int32_t& named = nth(named_by_, live.buffer_of[value]);
    if (named < 0 || rank(class_of(value).kind) > rank(class_of(static_cast<size_t>(named)).kind))
      named = static_cast<int32_t>(value);
  }
  procedure_.slots = static_cast<int32_t>(function.values.size() + live.returned_again.size());
  for (size_t i = 0; i < live.returned_again.size(); ++i)
    again_[live.returned_again[i]] = static_cast<int32_t>(function.values.size() + i);
}

void Recorder::made(Log& log, size_t value, Bytes size) {
  if (!ledger_.records()) return;
  const auto named      = static_cast<size_t>(named_by_[value]);
  const ValueClass kind = class_of(named);
  log.push_back({static_cast<int32_t>(value),
                 ledger_.buffer(label(function_, makers_, kind, static_cast<ir::ValueId>(named)), kind.kind, size)});
}

void Recorder::made_again(Log& log, ir::ValueId id, Bytes size) {
  if (!ledger_.records()) return;
  const ValueClass kind = class_of(ir::index(id));
  log.push_back({again_.at(id), ledger_.buffer(label(function_, makers_, kind, id), kind.kind, size)});
}

void Recorder::work(const ir::Device& device, bool item, const Log& log) {
  if (!ledger_.records() || (log.empty() && !item)) return;
  const int32_t number      = device.placed() ? device.index : stream::Storage::kNoDevice;
  const auto [found, fresh] = lanes_.emplace(device, static_cast<int32_t>(procedure_.lanes.size()));
  if (fresh) {
    procedure_.lanes.push_back({number, std::string(device.stream_name())});
    const int32_t place = number + 1;
    const auto slot     = static_cast<size_t>(place);
    if (devices_.size() <= slot) devices_.resize(slot + 1);
    devices_[slot] = true;
  }
  const auto first = static_cast<uint32_t>(procedure_.touches.size());
  procedure_.touches.insert(procedure_.touches.end(), log.begin(), log.end());
  procedure_.steps.push_back({false, static_cast<int32_t>(procedure_.works.size())});
  procedure_.works.push_back({found->second, item, first, static_cast<uint32_t>(procedure_.touches.size())});
}

int32_t Recorder::outside(int32_t device, const interpret::DeviceMap& map) const {
  if (map.empty()) return device;
  return nth(map, device == stream::Storage::kNoDevice ? 0 : device - 1);
}

void Recorder::call(int32_t procedure, const interpret::DeviceMap& map, const ir::Op& op) {
  if (!ledger_.records()) return;
  stream::Storage::Call call{procedure, {map.begin(), map.end()}, {}, {}};
  call.arguments.reserve(op.operand_count);
  call.results.reserve(op.result_count);
  for (const ir::ValueId id : function_.inputs(op))
    call.arguments.push_back(id == ir::ValueId::none ? -1 : live_.buffer_of[ir::index(id)]);
  for (uint32_t i = 0; i < op.result_count; ++i) call.results.push_back(live_.buffer_of[op.first_result + i]);
  for (const int32_t device : nth(ledger_.storage.procedures, procedure).devices) {
    const int32_t place = outside(device, map) + 1;
    const auto slot     = static_cast<size_t>(place);
    if (devices_.size() <= slot) devices_.resize(slot + 1);
    devices_[slot] = true;
  }
  procedure_.steps.push_back({true, static_cast<int32_t>(procedure_.calls.size())});
  procedure_.calls.push_back(std::move(call));
}

stream::Storage::Procedure Recorder::take() {
  if (!ledger_.records()) return {};
  for (size_t slot = 0; slot < devices_.size(); ++slot) {
    if (devices_[slot]) procedure_.devices.push_back(static_cast<int32_t>(slot) - 1);
  }
  for (const ir::ValueId id : function_.results) {
    const auto again = again_.find(id);
    procedure_.results.push_back(again != again_.end() ? again->second : live_.buffer_of[ir::index(id)]);
  }
  return std::move(procedure_);
}

}  // namespace foreflow::lower
