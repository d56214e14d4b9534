// The last passes of a strategy, on programs whose devices are known: what runs beside other work, and what is reduced
// over all devices.
#pragma once

#include "foreflow/ir/written_devices.h"
#include "foreflow/scenario/run.h"
#include "foreflow/transform/replica.h"

namespace foreflow::scenario {

// The program with work of other streams that runs behind its own: rings of attention, chunks of tensor parallelism,
// messages between stages.
ir::Module with_streams(ir::Module module, const Strategy& strategy);

// Returns true if training clips gradients.
bool clips(const Scenario& scenario);
// The program with clipped gradients, if the scenario clips them. Norms are those of all gradients, so gradients are
// clipped when all devices are known. `steps` led to the program of a replica, which has the devices `written`; `one`:
// what represents the replicas, null for none.
ir::Module with_clipped_gradients(ir::Module module, const Scenario& scenario,
                                  const std::vector<std::vector<transform::Piece>>& steps,
                                  const ir::WrittenDevices& written, const transform::OneReplica* one = nullptr);

// Returns true if devices agree on the largest values of operands in fp8.
bool reduces_maxima(const Scenario& scenario);
// The program in which they do, if the scenario asks for it. Comes behind with_streams, so that the pieces of a product
// that is cut are one product. It stands for `replicas` replicas, and has the devices `written`.
ir::Module with_reduced_maxima(ir::Module module, const Scenario& scenario, const ir::WrittenDevices& written,
                               int replicas);

// One of the replicas of a program, with all of these passes. Refused at `dp`.
Expected<transform::OneReplica> one_replica(const ReplicaProgram& replica, const Scenario& scenario);

}  // namespace foreflow::scenario
