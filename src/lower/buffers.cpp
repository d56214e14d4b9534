#include "lower/buffers.h"

#include "foreflow/ir/host_memory.h"

namespace foreflow::lower {
namespace {

bool is_result(const ir::Op& op, int32_t buffer) {
  const auto value = static_cast<uint32_t>(buffer);
  return value >= op.first_result && value < op.first_result + op.result_count;
}

}  // namespace

Bytes Buffers::make(size_t buffer, Recorder::Log& log) {
  const Bytes size = size_of(buffer);
  recorder_.made(log, buffer, size);
  return size;
}

Bytes Buffers::free(int32_t buffer, Recorder::Log& log) const {
  recorder_.freed(log, static_cast<size_t>(buffer));
  return size_of(static_cast<size_t>(buffer));
}

Bytes Buffers::make_results(const ir::Op& op, const ir::Device& device, Recorder::Log& log) {
  Bytes made;
  for (size_t value = op.first_result; value < op.first_result + op.result_count; ++value) {
    if (is_buffer(value) && place_of(static_cast<int32_t>(value)) == device) made += make(value, log);
  }
  return made;
}

void Buffers::free_on(const ir::Device& device, int32_t buffer) {
  if (ir::in_host_memory(place_of(buffer))) return;
  OpenCompute& open = steps_.open(device);
  open.level -= free(buffer, open.log);
}

void Buffers::free_by(const ir::Device& user, int32_t buffer) {
  const ir::Device made = place_of(buffer);
  free_on(user.placed() && made.same_gpu(user) ? user : made, buffer);
}

void Buffers::free_after(size_t o, const ir::Device& user) {
  for (const int32_t buffer : freed_after(o)) free_by(user, buffer);
}

void Buffers::free_operands(size_t o, const ir::Op& op, const ir::Device& user) {
  for (const int32_t buffer : freed_after(o)) {
    if (!is_result(op, buffer)) free_by(user, buffer);
  }
}

void Buffers::free_results(size_t o, const ir::Op& op, const ir::Device& user) {
  for (const int32_t buffer : freed_after(o)) {
    if (is_result(op, buffer)) free_by(user, buffer);
  }
}

Bytes LastUses::free_for(const ir::Device& member, Recorder::Log& log) {
  Bytes gone;
  for (size_t i = 0; i < freed_.size(); ++i) {
    if (done_[i] || !buffers_.place_of(freed_[i]).same_gpu(member)) continue;
    done_[i] = true;
    gone += buffers_.free(freed_[i], log);
  }
  return gone;
}

void LastUses::free_rest() {
  for (size_t i = 0; i < freed_.size(); ++i) {
    if (!done_[i]) buffers_.free_on(buffers_.place_of(freed_[i]), freed_[i]);
  }
}

}  // namespace foreflow::lower
