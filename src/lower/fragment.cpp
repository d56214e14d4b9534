#include "lower/fragment.h"

#include <algorithm>
#include <cstdint>

#include "foreflow/ir/host_memory.h"
#include "foreflow/lower/reshard_op.h"
#include "foreflow/platform/cpu.h"
#include "foreflow/stream/host_copy.h"
#include "lower/issuer.h"
#include "lower/kernels.h"
#include "lower/known_computes.h"

namespace foreflow::lower {
namespace {

Issuer::Fragment kind_of(const ir::Function& function, bool is_entry) {
  if (!is_entry) return Issuer::Fragment::pass;
  const bool calls =
      std::any_of(function.ops.begin(), function.ops.end(), [](const ir::Op& op) { return op.is_call(); });
  return calls ? Issuer::Fragment::caller : Issuer::Fragment::whole;
}

}  // namespace

// Writes one fragment op by op. Runs of compute on a device gather in `open_` until something else needs the device.
class FragmentWriter {
 public:
  FragmentWriter(FragmentMaker& maker, int32_t instance, const Boundary& boundary, const Kinds& kinds)
      : maker_(maker),
        kinds_(kinds),
        instance_(maker.interpretation_.instances[static_cast<size_t>(instance)]),
        function_(maker.module_.functions[instance_.function]),
        values_(maker.module_, instance_),
        live_(analyse(maker.module_, instance_, boundary, maker.cost_.memory)),
        recorder_(maker.ledger_, function_, instance_.function, live_),
        issuer_(
            maker.options_.host,
            [this](const ir::Device& device) {
              return platform::time_ratio(hardware(device).cpu, maker_.options_.host.cpu);
            },
            kind_of(function_, is_entry()), function_, maker_.backward_of(instance_.function)),
        kernels_(maker.options_.fuses, function_, instance_, live_) {}

  Fragment run() {
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      const ir::Op& op = function_.ops[o];
      issuer_.reach(op);
      if (op.is_call()) {
        call(o);
      } else if (copies_host(op)) {
        copy_host(op, o);
      } else if (op.def->reshards) {
        reshard(op, o);
      } else if (op.def->role == ir::Role::communication) {
        meet(op, o);
      } else {
        compute(op, o);
      }
    }
    settle_boundary();
    while (!open_.empty()) close(open_.begin()->first);
    maker_.ledger_.storage.procedures.push_back(recorder_.take());
    return std::move(fragment_);
  }

 private:
  struct Open {
    stream::Compute event;
    std::array<Seconds, cost::kProvenances> shares{};
    Bytes level, peak;
    Recorder::Log log;
  };

  bool is_entry() const { return &instance_ == &maker_.interpretation_.entry(); }
  const ir::Type& type(ir::ValueId id) const { return values_.type(id); }
  Bytes size_of(size_t buffer) const { return live_.size[instance_.values.number(buffer)]; }
  bool owns_memory(size_t value) const { return live_.buffer_of[value] == static_cast<int32_t>(value); }

  cost::Price price_of(const cost::Application& application, KnownComputes::Known& known) const {
    if (!application.joined && known.alone) return *known.alone;
    const cost::Price price = maker_.cost_.compute(application, hardware(known.device));
    if (!application.joined) known.alone = price;
    return price;
  }

  void compute(const ir::Op& op, size_t o) {
    KnownComputes::Known& known   = computes_.of(op, values_);
    const ir::Device device       = known.device;
    const ir::Work& work          = known.work;
    const bool on_host            = known.on_host;
    cost::Application application = known.application(op);
    if (!on_host) kernels_.place(o, device, work, application);
    const cost::Price price = price_of(application, known);
    if (issuer_.begins_anew(op, device)) close(device);
    Open& open = open_[device];
    open.event.duration += price.time;
    open.shares[static_cast<size_t>(price.provenance)] += price.time;
    if (!on_host) {
      open.event.flops += work.flops + work.masked;
      issuer_.add(op, device, application.joined ? 0 : work.kernels, price.time, open.event.issue);
    }
    if (price.time > Seconds(0)) open.event.parts.push_back({std::string(op.def->name), price.time});
    const bool stays = results_stay_in_place(op, maker_.cost_.memory);
    if (stays) release(o, device);
    for (uint32_t i = 0; i < op.result_count; ++i) {
      const size_t value = op.first_result + i;
      if (!owns_memory(value)) continue;
      open.level += size_of(value);
      recorder_.made(open.log, value, size_of(value));
    }
    open.peak = std::max(open.peak, open.level);
    if (!stays) release(o, device);
    if (maker_.reads_back(op) && device.stream_name().empty()) hand_over(device, receiver_of(device));
  }

  void release(size_t o, const ir::Device& user) {
    for (const int32_t buffer : live_.freed_after(o)) free(buffer, releasing(buffer, user));
  }

  // The stream that releases a buffer: its last user `user`, if that is a stream of the buffer's device.
  ir::Device releasing(int32_t buffer, const ir::Device& user) const {
    const ir::Device made = place_of(buffer);
    return user.placed() && made.same_gpu(user) ? user : made;
  }

  void free(int32_t buffer, const ir::Device& device) {
    if (ir::in_host_memory(place_of(buffer))) return;
    Open& open = open_[device];
    open.level -= size_of(static_cast<size_t>(buffer));
    recorder_.freed(open.log, static_cast<size_t>(buffer));
  }

  // The device on which a buffer was made. Its last use may be elsewhere: a constant on no device, another stream.
  ir::Device place_of(int32_t buffer) const {
    return ir::device_of(instance_.values[static_cast<size_t>(buffer)].type);
  }

  // A value on no device counts as on the first.
  const platform::Device& hardware(const ir::Device& device) const {
    const auto number = device.placed() ? static_cast<size_t>(device.index) : size_t{1};
    return *maker_.hardware_[static_cast<size_t>(number < kinds_.size() ? kinds_[number] : 0)];
  }

  // The devices and the event of a communication; computed once for equal operands and results.
  struct KnownMeeting {
    std::vector<ir::Device> members;
    int32_t communication;  // -1: of one member
    bool of_all_replicas;
  };

  // Until the next one is asked for.
  const KnownMeeting& meeting(const ir::Op& op) {
    const uint32_t number = meeting_numbers_.number(values_.words(op));
    if (number < meetings_.size()) return meetings_[number];
    const std::vector<ir::Type> inputs = values_.input_types(op);
    values_.check_resolved(op, inputs);
    GroupCommunication made = communication_of(op, inputs, values_.output_types(op), maker_.cost_, maker_.options_);
    meetings_.push_back({std::move(made.members), -1, made.replicas > 1});
    made.what.issue = issuer_.of(made.what.kind, meetings_.back().members);
    if (meetings_.back().members.size() > 1 || made.replicas > 1)
      meetings_.back().communication = maker_.intern(made.what);
    return meetings_.back();
  }

  int32_t device_number(const ir::Device& device) {
    const auto [found, fresh] = numbers_.emplace(device, static_cast<int32_t>(fragment_.lanes.size()));
    if (fresh)
      fragment_.lanes.push_back(
          {device.placed() ? device.index : stream::CompactProgram::kNoDevice, std::string(device.stream_name())});
    return found->second;
  }

  void meet(const ir::Op& op, size_t o) {
    const KnownMeeting& meeting = this->meeting(op);
    const size_t count          = meeting.members.size();
    if (maker_.stages(op) && count == 2 && !meeting.members[0].same_gpu(meeting.members[1]))
      stage(meeting.members[1], ir::bytes_of(type(function_.output(op, 0))));
    const auto freed = live_.freed_after(o);
    released_.assign(freed.size(), false);
    if (logs_.size() < count) logs_.resize(count);
    const auto first = static_cast<uint32_t>(fragment_.members.size());
    for (size_t i = 0; i < count; ++i) {
      close(meeting.members[i]);
      const stream::MemoryEffect effect = take_part(op, meeting.members[i], freed, logs_[i]);
      if (meeting.communication < 0) {
        free_elsewhere(freed);
        return account_alone(meeting.members[i], effect, logs_[i]);
      }
      fragment_.members.push_back({-1, maker_.intern(effect)});
    }
    free_elsewhere(freed);
    for (size_t i = 0; i < count; ++i) {
      fragment_.members[first + i].lane = device_number(meeting.members[i]);
      recorder_.work(meeting.members[i], true, logs_[i]);
    }
    fragment_.steps.push_back({Step::Kind::meeting, static_cast<int32_t>(fragment_.meetings.size())});
    fragment_.meetings.push_back(
        {meeting.communication, first, static_cast<uint32_t>(fragment_.members.size()), meeting.of_all_replicas});
  }

  static ir::Device receiver_of(const ir::Device& device) { return ir::Device(device.index, ir::kReceiver); }

  // What the host of `device` does before the device receives `bytes` (cost::StagedReceive).
  void stage(const ir::Device& device, Bytes bytes) {
    const cost::StagedReceive& how = *maker_.cost_.staged_receive;
    const ir::Device host          = receiver_of(device);
    const auto alone               = [&](std::string_view name, Seconds time) {
      add_meeting({std::string(name), collective::Kind::send, &collective::default_algorithm(collective::Kind::send),
                   bytes, time},
                                {host}, {Bytes(0), Bytes(0)}, {});
    };
    alone(stream::kHostWork, how.work);
    hand_over(device, host);
    alone(stream::kStagedCopy, bytes / how.copy);
    hand_over(host, device);
  }

  // The messages of a Reshard, of which a device takes part in none, one or several. Each device gets its result when
  // its first message begins, and frees its operand when its last one has ended.
  void reshard(const ir::Op& op, size_t o) {
    const std::vector<ReshardMeeting>& meetings = messages(op);
    const std::vector<ir::Device> members       = devices_of(op);
    const auto freed                            = live_.freed_after(o);
    released_.assign(freed.size(), false);
    std::vector<int> left(members.size());
    for (const ReshardMeeting& meeting : meetings) {
      for (const size_t member : meeting.members) ++left[member];
    }
    std::vector<bool> began(members.size());
    for (const ReshardMeeting& meeting : meetings) {
      const auto first           = static_cast<uint32_t>(fragment_.members.size());
      stream::Communication what = meeting.what;
      std::vector<ir::Device> devices;
      for (const size_t member : meeting.members) devices.push_back(members[member]);
      // The host does not issue a wait for a port, which is how the plan keeps its order.
      if (what.bytes > Bytes(0)) what.issue = issuer_.of(what.kind, devices);
      for (const size_t member : meeting.members) {
        const ir::Device& device = members[member];
        close(device);
        Recorder::Log log;
        stream::MemoryEffect effect = receive(op, device, began[member], log);
        began[member]               = true;
        if (--left[member] == 0) effect.net -= let_go(freed, device, log);
        fragment_.members.push_back({device_number(device), maker_.intern(effect)});
        recorder_.work(device, true, log);
      }
      fragment_.steps.push_back({Step::Kind::meeting, static_cast<int32_t>(fragment_.meetings.size())});
      fragment_.meetings.push_back(
          {maker_.intern(what), first, static_cast<uint32_t>(fragment_.members.size()), false});
    }
    free_elsewhere(freed);
  }

  std::vector<ir::Device> devices_of(const ir::Op& op) const {
    std::vector<ir::Device> devices;
    for (const ir::ValueId id : function_.inputs(op)) devices.push_back(ir::device_of(type(id)));
    for (uint32_t i = 0; i < op.result_count; ++i) devices.push_back(ir::device_of(type(function_.output(op, i))));
    return devices;
  }

  // Computed once for equal operands and results.
  const std::vector<ReshardMeeting>& messages(const ir::Op& op) {
    std::vector<uint64_t> key = {reinterpret_cast<uint64_t>(op.attributes.get()), op.operand_count};
    for (const ir::ValueId id : function_.inputs(op)) key.push_back(instance_.values.number(ir::index(id)));
    for (uint32_t i = 0; i < op.result_count; ++i) key.push_back(instance_.values.number(op.first_result + i));
    const auto [found, fresh] = reshards_.try_emplace(std::move(key));
    if (!fresh) return found->second;
    const std::vector<ir::Type> inputs = values_.input_types(op), outputs = values_.output_types(op);
    values_.check_resolved(op, inputs);
    found->second = reshard_meetings(op, inputs, outputs, maker_.cost_, maker_.places_, maker_.options_);
    return found->second;
  }

  // What a device gets with the first of its messages.
  stream::MemoryEffect receive(const ir::Op& op, const ir::Device& member, bool began, Recorder::Log& log) {
    Bytes made;
    for (uint32_t i = 0; i < op.result_count && !began; ++i) {
      const size_t value = op.first_result + i;
      if (!owns_memory(value) || place_of(static_cast<int32_t>(value)) != member) continue;
      made += size_of(value);
      recorder_.made(log, value, size_of(value));
    }
    return {made, made};
  }

  // Frees those of `freed` that are on the device of `member` and not freed yet.
  Bytes let_go(std::span<const int32_t> freed, const ir::Device& member, Recorder::Log& log) {
    Bytes gone;
    for (size_t i = 0; i < freed.size(); ++i) {
      if (released_[i] || !place_of(freed[i]).same_gpu(member)) continue;
      released_[i] = true;
      gone += size_of(static_cast<size_t>(freed[i]));
      recorder_.freed(log, static_cast<size_t>(freed[i]));
    }
    return gone;
  }

  // The effect of a communication on the memory of one member: it gets its results, and frees those of `freed` that no
  // earlier member could free.
  stream::MemoryEffect take_part(const ir::Op& op, const ir::Device& member, std::span<const int32_t> freed,
                                 Recorder::Log& log) {
    log.clear();
    stream::MemoryEffect effect = receive(op, member, false, log);
    effect.net -= let_go(freed, member, log);
    return effect;
  }

  void free_elsewhere(std::span<const int32_t> freed) {
    for (size_t i = 0; i < freed.size(); ++i) {
      if (!released_[i]) free(freed[i], place_of(freed[i]));
    }
  }

  bool copies_host(const ir::Op& op) const {
    if (!FragmentMaker::is_send(op)) return false;
    return ir::in_host_memory(ir::device_of(type(function_.inputs(op)[0]))) !=
           ir::in_host_memory(ir::device_of(type(function_.output(op, 0))));
  }

  // A copy to or from host memory runs on a stream of its own. It begins when the stream that asked for it reaches it;
  // a copy from the host also waits for the earlier copies to the host.
  void copy_host(const ir::Op& op, size_t o) {
    const ir::ValueId from = function_.inputs(op)[0], to = function_.output(op, 0);
    values_.check_resolved(op, {type(from)});
    const ir::Device source = ir::device_of(type(from)), target = ir::device_of(type(to));
    const bool out          = ir::in_host_memory(target);
    const ir::Device worker = out ? ir::Device(source.index, ir::kToHost) : target;
    hand_over(out ? source : ir::Device(target.index), worker);
    if (!out) hand_over(ir::Device(source.index, ir::kToHost), worker);
    close(worker);
    Bytes made, freed;
    Recorder::Log log;
    if (!out && owns_memory(ir::index(to))) {
      made = size_of(ir::index(to));
      recorder_.made(log, ir::index(to), made);
    }
    for (const int32_t buffer : live_.freed_after(o)) {
      if (ir::in_host_memory(place_of(buffer))) continue;
      freed += size_of(static_cast<size_t>(buffer));
      recorder_.freed(log, static_cast<size_t>(buffer));
    }
    const std::string_view name = out ? stream::kCopyToHost : stream::kCopyFromHost;
    add_meeting({std::string(name), collective::Kind::send, &collective::default_algorithm(collective::Kind::send),
                 ir::bytes_of(type(from))},
                {worker}, {made, made - freed}, log);
  }

  void hand_over(const ir::Device& from, const ir::Device& to) {
    if (from == to) return;
    close(from);
    stream::Communication what{"Send", collective::Kind::send, &collective::default_algorithm(collective::Kind::send),
                               Bytes(0), Seconds(0)};
    what.issue = issuer_.of(what.kind, {from, to});
    add_meeting(what, {from, to}, {Bytes(0), Bytes(0)}, {});
  }

  void add_meeting(const stream::Communication& what, const std::vector<ir::Device>& members,
                   const stream::MemoryEffect& effect, const Recorder::Log& log) {
    const auto first = static_cast<uint32_t>(fragment_.members.size());
    for (const ir::Device& member : members) {
      fragment_.members.push_back({device_number(member), maker_.intern(effect)});
      recorder_.work(member, true, log);
    }
    fragment_.steps.push_back({Step::Kind::meeting, static_cast<int32_t>(fragment_.meetings.size())});
    fragment_.meetings.push_back({maker_.intern(what), first, static_cast<uint32_t>(fragment_.members.size()), false});
  }

  // A collective of one device moves nothing, but its result takes memory.
  void account_alone(const ir::Device& device, const stream::MemoryEffect& effect, const Recorder::Log& log) {
    Open& open = open_[device];
    open.peak  = std::max(open.peak, open.level + effect.peak);
    open.level += effect.net;
    open.log.insert(open.log.end(), log.begin(), log.end());
  }

  void call(size_t o) {
    while (!open_.empty()) close(open_.begin()->first);
    const interpret::DeviceMap& map = instance_.maps[o];
    Kinds kinds                     = map.empty() ? kinds_ : Kinds(map.size() + 1, 0);
    for (size_t i = 0; i < map.size(); ++i) kinds[i + 1] = kinds_[static_cast<size_t>(map[i])];
    const int32_t callee = maker_.fragment(instance_.callee[o], live_.calls[fragment_.calls.size()], kinds);
    fragment_.steps.push_back({Step::Kind::call, static_cast<int32_t>(fragment_.calls.size())});
    fragment_.calls.push_back({callee, maker_.intern(map)});
    recorder_.call(callee, map, function_.ops[o]);
  }

  void settle_boundary() {
    for (const int32_t buffer : live_.unfreed_parameters) free(buffer, place_of(buffer));
    // The entry has no caller that would count its results: new weights have the memory of the old ones.
    if (is_entry()) return;
    for (const ir::ValueId id : live_.returned_again) {
      if (ir::in_host_memory(ir::device_of(type(id)))) continue;
      Open& open = open_[ir::device_of(type(id))];
      open.level += ir::bytes_of(type(id));
      open.peak = std::max(open.peak, open.level);
      recorder_.made_again(open.log, id, ir::bytes_of(type(id)));
    }
  }

  // By value, because callers pass the key of the entry that is erased here.
  void close(ir::Device device) {
    kernels_.end(device);
    const auto found = open_.find(device);
    if (found == open_.end()) return;
    Open open = std::move(found->second);
    open_.erase(found);
    const bool nothing = open.event.duration == Seconds(0) && open.level == Bytes(0) && open.peak == Bytes(0);
    recorder_.work(device, !nothing, open.log);
    if (nothing) return;
    open.event.name      = open.event.parts.size() == 1 ? open.event.parts[0].name : "@" + function_.name;
    const int32_t memory = maker_.intern(stream::MemoryEffect{open.peak, open.level});
    const int32_t event  = maker_.intern(std::move(open.event), open.shares);
    fragment_.steps.push_back({Step::Kind::compute, static_cast<int32_t>(fragment_.computes.size())});
    fragment_.computes.push_back({device_number(device), event, memory});
  }

  FragmentMaker& maker_;
  const Kinds& kinds_;
  const interpret::Instance<interpret::Mixed>& instance_;
  const ir::Function& function_;
  OpValues values_;
  KnownComputes computes_;
  Liveness live_;
  Recorder recorder_;
  Issuer issuer_;
  Kernels kernels_;
  Fragment fragment_;
  std::map<ir::Device, Open> open_;
  std::map<ir::Device, int32_t> numbers_;  // of fragment_.lanes
  SequenceTable meeting_numbers_;
  std::vector<KnownMeeting> meetings_;                                     // by number
  std::map<std::vector<uint64_t>, std::vector<ReshardMeeting>> reshards_;  // by types and attributes
  std::vector<bool> released_;       // of the buffers that a meeting frees; scratch
  std::vector<Recorder::Log> logs_;  // of its members; scratch
};

int32_t FragmentMaker::fragment(int32_t instance, const Boundary& boundary, const Kinds& kinds) {
  const auto found = made_.find({instance, boundary, kinds});
  if (found != made_.end()) return found->second;
  Fragment made     = FragmentWriter(*this, instance, boundary, kinds).run();  // with its procedure of the same number
  const auto number = static_cast<int32_t>(fragments.size());
  fragments.push_back(std::move(made));
  made_.emplace(std::tuple(instance, boundary, kinds), number);
  return number;
}

}  // namespace foreflow::lower
