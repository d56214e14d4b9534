#include "lower/host_steps.h"

#include <algorithm>

#include "foreflow/ir/host_memory.h"
#include "foreflow/stream/host_copy.h"

namespace foreflow::lower {
namespace {

bool is_send(const ir::Op& op) { return op.def->communication == ir::Communication::send; }

// A stream for the work of the host that the device waits for.
ir::Device receiver_of(const ir::Device& device) { return ir::Device(device.index, ir::kReceiver); }

stream::Communication send(std::string_view name, Bytes bytes, std::optional<Seconds> time = std::nullopt) {
  const auto kind = collective::Kind::send;
  return {std::string(name), kind, &collective::default_algorithm(kind), bytes, time};
}

}  // namespace

void HostSteps::hand_over(const ir::Device& from, const ir::Device& to) {
  if (from == to) return;
  stream::Communication what = send("Send", Bytes(0), Seconds(0));
  what.issue                 = issuer_.of(what.kind, {from, to});
  steps_.hand_over(what, from, to);
}

bool HostSteps::is_copy(const ir::Op& op) const {
  return is_send(op) && ir::in_host_memory(ir::device_of(values_.type(function_.inputs(op)[0]))) !=
                            ir::in_host_memory(ir::device_of(values_.type(function_.output(op, 0))));
}

void HostSteps::copy(const ir::Op& op, size_t o) {
  const ir::ValueId from = function_.inputs(op)[0], to = function_.output(op, 0);
  values_.check_resolved(op, {values_.type(from)});
  const ir::Device source = ir::device_of(values_.type(from)), target = ir::device_of(values_.type(to));
  const bool out = ir::in_host_memory(target);
  MeetingPart part{out ? ir::Device(source.index, ir::kToHost) : target, {}, {}};
  hand_over(out ? source : ir::Device(target.index), part.device);
  if (!out) hand_over(ir::Device(source.index, ir::kToHost), part.device);
  Bytes made, freed;
  if (!out && buffers_.is_buffer(ir::index(to))) made = buffers_.make(ir::index(to), part.log);
  for (const int32_t buffer : buffers_.freed_after(o)) {
    if (!ir::in_host_memory(buffers_.place_of(buffer))) freed += buffers_.free(buffer, part.log);
  }
  part.memory = {made, made - freed};
  steps_.meet(send(out ? stream::kCopyToHost : stream::kCopyFromHost, ir::bytes_of(values_.type(from))), {&part, 1});
}

void HostSteps::work(std::string_view name, const ir::Device& host, Bytes bytes, Seconds time) {
  const MeetingPart part{host, {Bytes(0), Bytes(0)}, {}};
  steps_.meet(send(name, bytes, time), {&part, 1});
}

void HostSteps::receive(const ir::Op& op, const ir::Device& device, Bytes bytes) {
  if (staged_ == nullptr || !is_send(op)) return;
  const ir::Device host = receiver_of(device);
  work(stream::kHostWork, host, bytes, staged_->work);
  hand_over(device, host);
  work(stream::kStagedCopy, host, bytes, bytes / staged_->copy);
  hand_over(host, device);
}

void HostSteps::read_back(const ir::Op& op, const ir::Device& device) {
  if (staged_ == nullptr || !device.stream_name().empty()) return;
  const auto& ops = staged_->reads_back;
  if (std::find(ops.begin(), ops.end(), op.def->name) != ops.end()) hand_over(device, receiver_of(device));
}

}  // namespace foreflow::lower
