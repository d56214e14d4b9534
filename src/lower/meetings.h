// Communication ops as meetings of streams: who takes part, and what happens to the memory of each.
#pragma once

#include <map>
#include <vector>

#include "foreflow/base/sequence_table.h"
#include "foreflow/lower/communication.h"
#include "foreflow/lower/reshard_op.h"
#include "lower/buffers.h"
#include "lower/home.h"
#include "lower/host_steps.h"
#include "lower/issuer.h"
#include "lower/op_values.h"

namespace foreflow::lower {

// The communications of a function's communication ops among their devices. Each is computed once for equal ops on
// equal values.
class KnownMeetings {
 public:
  struct Known {
    std::vector<ir::Device> members;
    int32_t communication;  // its number in the tables; -1: of one member
    bool of_all_replicas;
  };

  // Keeps references.
  KnownMeetings(const cost::CostModel& cost, const ProgramPlaces& places, const Options& options, Home home,
                const Issuer& issuer, EventTables& tables, OpValues& values)
      : cost_(cost),
        places_(places),
        options_(options),
        home_(home),
        issuer_(issuer),
        tables_(tables),
        values_(values) {}

  // Valid until the next call.
  const Known& of(const ir::Op& op);
  // The messages of a Reshard.
  const std::vector<ReshardMeeting>& of_reshard(const ir::Op& op);

 private:
  const cost::CostModel& cost_;
  const ProgramPlaces& places_;
  const Options& options_;
  const Home home_;
  const Issuer& issuer_;
  EventTables& tables_;
  OpValues& values_;
  SequenceTable meeting_numbers_, reshard_numbers_;
  std::vector<Known> meetings_;                        // by number
  std::vector<std::vector<ReshardMeeting>> reshards_;  // by number
};

class MeetingWriter {
 public:
  // Keeps references.
  MeetingWriter(const ir::Function& function, const OpValues& values, KnownMeetings& known, const Issuer& issuer,
                Buffers& buffers, HostSteps& host, FragmentSteps& steps)
      : function_(function),
        values_(values),
        known_(known),
        issuer_(issuer),
        buffers_(buffers),
        host_(host),
        steps_(steps) {}

  // A collective or a message. A member gets its results, and frees its operands, when it takes place.
  void meet(const ir::Op& op, size_t o);
  // The messages of a Reshard, of which a device takes part in none, one or several. Each device gets its result when
  // its first message begins, and frees its operand when its last one has ended.
  void reshard(const ir::Op& op, size_t o);

 private:
  // Operands first, then results.
  std::vector<ir::Device> devices_of(const ir::Op& op) const;

  const ir::Function& function_;
  const OpValues& values_;
  KnownMeetings& known_;
  const Issuer& issuer_;
  Buffers& buffers_;
  HostSteps& host_;
  FragmentSteps& steps_;
  std::vector<MeetingPart> parts_;  // of the meeting at hand, and room for larger ones
};

}  // namespace foreflow::lower
