// The compact form of a program: procedures of one replica that call each other, and the number of replicas. Its size
// depends on the number of distinct functions; that of a Program, which expand() makes of it, on the number of items.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/stream/group_algorithms.h"
#include "foreflow/stream/program.h"

namespace foreflow::stream {

struct CompactProgram {
  static constexpr int32_t kNoDevice = -1;

  // A stream, by the numbers that devices have in a procedure. A lane on no device is on the first device: that of the
  // program, or that of the procedure if its caller renames devices.
  struct Lane {
    int32_t device;      // its number; or kNoDevice
    std::string stream;  // "" or "comm"
  };
  struct ComputeStep {
    int32_t lane;    // into Procedure::lanes
    int32_t event;   // into `computes`
    int32_t memory;  // into `memory_effects`
  };
  struct Member {
    int32_t lane;
    int32_t memory;
  };
  struct MeetingStep {
    int32_t communication;  // into `communications`
    uint32_t first, last;   // of Procedure::members
    bool of_all_replicas;   // true: the corresponding members of all replicas take part together; false: each replica
                            // has a communication of its own
  };
  struct CallStep {
    int32_t procedure;
    int32_t renaming;  // into `renamings`; -1: devices are the caller's own
  };
  struct Step {
    enum class Kind : uint8_t { compute, meeting, call } kind;
    int32_t index;  // into the list of its kind
  };
  struct Procedure {
    std::vector<Lane> lanes;  // that have steps here, not only in callees
    std::vector<Step> steps;
    std::vector<ComputeStep> computes;
    std::vector<MeetingStep> meetings;
    std::vector<Member> members;
    std::vector<CallStep> calls;

    std::span<const Member> of(const MeetingStep& meeting) const {
      return std::span(members).subspan(meeting.first, meeting.last - meeting.first);
    }
  };
  struct Device {
    int32_t index;  // its number
    Bytes initial;  // as DeviceUse::initial
  };

  std::vector<Compute> computes;
  std::vector<Communication> communications;
  std::vector<MemoryEffect> memory_effects;
  std::vector<Procedure> procedures;            // callees before callers
  std::vector<std::vector<int32_t>> renamings;  // [device inside - 1] = device outside
  int32_t root         = 0;                     // of `procedures`
  int32_t first_device = 1;                     // the number of rank 0
  int32_t of_replica   = 1;                     // the number of ranks of a replica
  int32_t replicas     = 1;
  std::vector<int> places;      // by rank, as DeviceUse::place; empty: the rank itself
  std::vector<Device> devices;  // of the first replica
  std::vector<Lane> streams;    // of the first replica, by device numbers of the program
  std::vector<GroupAlgorithms> groups;
  std::vector<int> nodes;  // by rank: the node of its device; empty where no communication depends on it
  std::shared_ptr<const Storage> storage;

  int place_of_rank(int32_t rank) const { return places.empty() ? rank : nth(places, rank); }
  // The caller's number of `device`, for a call that renames devices by `renaming` (empty: no renaming).
  int32_t outside(int32_t device, const std::vector<int32_t>& renaming) const {
    if (renaming.empty()) return device;
    return nth(renaming, device == kNoDevice ? 0 : device - 1);
  }
};

// The renaming that results from `call` in a procedure whose devices are renamed by `outer`.
std::vector<int32_t> composed(const CompactProgram& program, const CompactProgram::CallStep& call,
                              const std::vector<int32_t>& outer);

// Per entry of `computes`: the number of executions on all devices.
std::vector<int64_t> executions(const CompactProgram& program);

// Writes out every stream of every replica. Throws MemoryError when they do not fit into memory.
Program expand(const CompactProgram& program);

}  // namespace foreflow::stream
