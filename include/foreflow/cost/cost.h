// Cost models: how long an op takes on a device, and how that time was found. A cost model knows ops and devices, but
// no programs and no network: messages are simulated, unless the model has a formula for them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/base/key.h"
#include "foreflow/base/registry.h"
#include "foreflow/ir/op_def.h"
#include "foreflow/platform/platform.h"

namespace foreflow::cost {

// How a time was found: measured for the same signature, interpolated between measurements, extrapolated by a fitted
// line, or computed from the device's peaks.
enum class Provenance : uint8_t { table, interpolated, regression, roofline };
constexpr int kProvenances = 4;
std::string_view name(Provenance provenance);

struct Price {
  Seconds time;
  Provenance provenance = Provenance::roofline;
};

inline std::optional<Seconds> time_of(const std::optional<Price>& price) {
  return price ? std::optional(price->time) : std::nullopt;
}

// The price of a message, whatever the network does. A formula is the same wherever its members are; what was measured
// is that of members on so many nodes, and says nothing about others.
struct MessagePrice {
  struct OnNodes {
    int nodes;
    std::optional<Price> price;  // nothing: measured there, but of no use for this message
  };
  std::optional<Price> anywhere = {};
  std::vector<OnNodes> measured = {};  // each number of nodes once

  // Nothing: the network simulates it.
  std::optional<Price> on(int nodes) const {
    for (const OnNodes& one : measured) {
      if (one.nodes == nodes) return one.price;
    }
    return anywhere;
  }
};

// One application of an op with its inferred results.
struct Application {
  ir::OpCall call;
  std::span<const ir::Type> outputs;
  // True when all results are known before the run (shape arithmetic), which a real run computes on the CPU, ahead of
  // the device.
  bool on_host = false;
  // The bytes that stay on the chip if the op is one kernel with the op before it: this op does not read them and the
  // other does not write them.
  Bytes kept{};
  bool joined = false;  // it is
};

// The accounting of memory during lowering. It does not decide which ops run; the flags of CostModel do.
enum class MemoryRule : uint8_t {
  reuse,  // views share their operand's memory; collectives, optimizers and Add(no longer needed, x) work in place;
          // unused results are freed
  distir  // as in the simulator of the DistIR authors: only optimizers work in place, unused results stay allocated
};

// How a framework receives a message that first makes a buffer in the memory of the host and copies it to the device
// (DistIR's PyTorch backend: torch.zeros(shape).cuda(), then a broadcast in a group of two). The host of a device does
// this in the order of the program, ahead of the device, which is busy meanwhile:
//   1. `work`, for which the hosts of one server share its cores;
//   2. it waits until the device has nothing left to do;
//   3. it copies the bytes of the message, at `copy`; the device starts to receive after that.
// It also waits for the device at the ops `reads_back`, whose result it reads: it goes on when they have ended.
struct StagedReceive {
  Seconds work;
  BytesPerSecond copy;
  std::vector<std::string_view> reads_back;
};

struct CostModel {
  std::string name;
  MemoryRule memory = MemoryRule::reuse;
  // True: ops whose results are not needed are removed before pricing.
  bool removes_dead_code = true;
  // True: by default messages between pipeline stages overlap with computation.
  bool overlaps_sends = true;
  // True: by default the attention of transformers is one op.
  bool fuses_attention = true;
  // True: collectives of a named library inside a server take what was measured (cost::measured_collective).
  bool measures_collectives = false;
  // How devices receive messages; nothing: into memory that the device has.
  std::optional<StagedReceive> staged_receive = std::nullopt;
  // Time of an op on one device; never negative.
  std::function<Price(const Application&, const platform::Device&)> compute;
  // Time of a communication op over `ranks` members, never negative.
  std::function<MessagePrice(const Application&, int ranks)> communication;
  // The mean relative error of times on a device, as a fraction, by how they were found: of measurements that they were
  // not fitted to. Null: 0.
  std::function<double(Provenance, const platform::Device&)> error = nullptr;
  // Returns, as a sentence for people, an assumption behind the times of a device, or "" if there is none. Null means
  // that no device needs one.
  std::function<std::string(const platform::Device&)> assumption = nullptr;
  // Returns true if the times of a device follow from measurements of it, or of a device like it, and not from its data
  // sheet. Null means that all devices are priced alike.
  std::function<bool(const platform::Device&)> measures = nullptr;
};

struct CostModelDef {
  std::string_view name;
  std::string_view doc;
  Keys keys;  // its parameters: the keys of the scenario's "cost" object besides "model"
  // `parameters` is that object. Throws Error at unknown keys.
  CostModel (*make)(const JsonView& parameters);
  bool may_be_unnamed = false;  // an object that names no model may mean it (default_model in load.h)
};

const Registry<CostModelDef>& cost_models();

}  // namespace foreflow::cost
