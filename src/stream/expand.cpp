#include <algorithm>
#include <map>

#include "foreflow/base/memory.h"
#include "foreflow/base/nth.h"
#include "foreflow/base/sequence_table.h"
#include "foreflow/stream/compact.h"
#include "foreflow/stream/placed.h"

namespace foreflow::stream {
namespace {

using Renaming = std::vector<int32_t>;
using Address  = std::pair<int32_t, std::string_view>;  // device and stream

// Writes procedures into streams, renaming devices on the way, for all replicas at once.
class Expander {
 public:
  explicit Expander(const CompactProgram& compact)
      : compact_(compact), replicas_(static_cast<size_t>(compact.replicas)), placed_(compact, program_.communications) {
    program_.computes       = compact.computes;
    program_.communications = compact.communications;
    program_.memory_effects = compact.memory_effects;
    for (int32_t replica = 0; replica < compact.replicas; ++replica) add_replica(replica);
  }

  Program run() && {
    make_room();
    write(compact_.root, {});
    return std::move(program_);
  }

 private:
  // The size of a procedure, including its calls.
  struct Size {
    size_t meetings = 0;              // of all replicas
    std::map<Address, size_t> items;  // of one, by stream, as the procedure calls it
  };

  void add_replica(int32_t replica) {
    const int32_t shift = replica * compact_.of_replica;
    std::map<int32_t, int32_t> uses;
    for (const CompactProgram::Device& device : compact_.devices) {
      uses.emplace(device.index, static_cast<int32_t>(program_.devices.size()));
      const int32_t number = device.index + shift;
      program_.devices.push_back(
          {number, compact_.place_of_rank(number - compact_.first_device), device.initial, 0, compact_.storage});
    }
    for (const CompactProgram::Lane& lane : compact_.streams) {
      if (replica == 0) numbers_.emplace(Address{lane.device, lane.stream}, static_cast<int32_t>(numbers_.size()));
      const std::string device = "D" + std::to_string(lane.device + shift);
      program_.streams.push_back({lane.stream.empty() ? device : device + "." + lane.stream, uses.at(lane.device), {}});
    }
  }

  // Reserves exactly what streams need, because they take nearly all of a program's memory.
  void make_room() {
    std::vector<Size> sizes;  // by procedure: callees stand before their callers
    for (const auto& procedure : compact_.procedures) sizes.push_back(size_of(procedure, sizes));
    const Size& whole = nth(sizes, compact_.root);
    std::vector<size_t> items(compact_.streams.size(), 0);
    size_t all = 0;
    for (const auto& [address, count] : whole.items) {
      nth(items, number_of(address)) += count;
      all += count * replicas_;
    }
    // The times of each item will be kept as well.
    check_memory(Bytes(static_cast<double>(all) * (sizeof(Item) + 2 * sizeof(double))),
                 [] { return std::string("the program, op by op,"); });
    for (size_t s = 0; s < program_.streams.size(); ++s) program_.streams[s].items.reserve(items[s % items.size()]);
    program_.instances.reserve(whole.meetings);
  }

  Size size_of(const CompactProgram::Procedure& procedure, const std::vector<Size>& sizes) const {
    std::vector<size_t> own(procedure.lanes.size());
    for (const auto& step : procedure.computes) ++nth(own, step.lane);
    for (const auto& member : procedure.members) ++nth(own, member.lane);
    Size size;
    for (const auto& step : procedure.meetings) size.meetings += step.of_all_replicas ? 1 : replicas_;
    for (size_t i = 0; i < own.size(); ++i)
      size.items[{procedure.lanes[i].device, procedure.lanes[i].stream}] += own[i];
    for (const auto& call : procedure.calls) {
      const Size& callee = nth(sizes, call.procedure);
      size.meetings += callee.meetings;
      const Renaming renaming = composed(compact_, call, {});
      for (const auto& [address, count] : callee.items)
        size.items[{compact_.outside(address.first, renaming), address.second}] += count;
    }
    return size;
  }

  // The stream of the first replica. A value on no device is on the first one.
  int32_t number_of(const Address& address) const {
    const int32_t device = address.first == CompactProgram::kNoDevice ? compact_.first_device : address.first;
    return numbers_.at({device, address.second});
  }

  void write(int32_t number, const Renaming& renaming) {
    const auto& procedure = nth(compact_.procedures, number);
    std::vector<int32_t> streams;
    for (const auto& lane : procedure.lanes)
      streams.push_back(number_of({compact_.outside(lane.device, renaming), lane.stream}));
    for (const CompactProgram::Step& step : procedure.steps) {
      const auto index = static_cast<size_t>(step.index);
      switch (step.kind) {
        case CompactProgram::Step::Kind::compute: write(procedure.computes[index], streams); break;
        case CompactProgram::Step::Kind::meeting: write(procedure, procedure.meetings[index], streams); break;
        case CompactProgram::Step::Kind::call:
          write(procedure.calls[index].procedure, composed(compact_, procedure.calls[index], renaming));
      }
    }
  }

  std::vector<Item>& items(size_t stream, size_t replica) {
    return program_.streams[replica * compact_.streams.size() + stream].items;
  }

  void write(const CompactProgram::ComputeStep& step, const std::vector<int32_t>& streams) {
    const auto stream = static_cast<size_t>(nth(streams, step.lane));
    for (size_t replica = 0; replica < replicas_; ++replica)
      items(stream, replica).push_back({step.event, -1, step.memory});
  }

  // One instance among the members of all replicas, or one for each replica.
  void write(const CompactProgram::Procedure& procedure, const CompactProgram::MeetingStep& step,
             const std::vector<int32_t>& streams) {
    const size_t together = step.of_all_replicas ? replicas_ : 1;
    for (size_t first = 0; first < replicas_; first += together) meet(procedure, step, streams, first, together);
  }

  void meet(const CompactProgram::Procedure& procedure, const CompactProgram::MeetingStep& step,
            const std::vector<int32_t>& streams, size_t first, size_t replicas) {
    const auto number  = static_cast<int32_t>(program_.instances.size());
    const auto members = procedure.of(step);
    words_.clear();
    for (size_t replica = first; replica < first + replicas; ++replica) {
      for (const CompactProgram::Member& member : members)
        words_.push_back(replica * compact_.streams.size() + static_cast<size_t>(nth(streams, member.lane)));
    }
    const uint32_t group = group_numbers_.number(words_);
    if (group == met_.size()) met_.emplace_back(std::vector<int32_t>(words_.begin(), words_.end()));
    Instance& instance     = program_.instances.emplace_back(Instance{step.communication, met_[group]});
    instance.communication = chosen(step.communication, instance.members);
    for (size_t i = 0; i < instance.members.size(); ++i) {
      nth(program_.streams, instance.members[i])
          .items.push_back({instance.communication, number, members[i % members.size()].memory});
    }
  }

  int32_t chosen(int32_t communication, const std::vector<int32_t>& members) {
    return placed_.depends_on_ranks(communication) ? placed_.of(communication, ranks(members)) : communication;
  }

  std::vector<int> ranks(const std::vector<int32_t>& members) const {
    std::vector<int> all;
    for (const int32_t member : members) {
      const Stream& stream = nth(program_.streams, member);
      all.push_back(nth(program_.devices, stream.device).index - compact_.first_device);
    }
    return all;
  }

  const CompactProgram& compact_;
  const size_t replicas_;
  Program program_;
  std::map<Address, int32_t> numbers_;  // of the streams of the first replica
  PlacedCommunications placed_;
  SequenceTable group_numbers_;
  std::vector<Members> met_;  // by number in group_numbers_
  std::vector<uint64_t> words_;
};

}  // namespace

Program expand(const CompactProgram& program) { return Expander(program).run(); }

}  // namespace foreflow::stream
