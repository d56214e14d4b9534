// Clipping of gradients by their global norm.
#pragma once

#include <vector>

#include "foreflow/ir/written_devices.h"
#include "foreflow/transform/pieces.h"
#include "foreflow/transform/replica.h"

namespace foreflow::transform {

// Which parameter of the original program a parameter of a distributed program belongs to, and how much of it it holds.
struct HeldPart {
  int32_t source;
  // The share of the parameter. The second of two written shards, or ranks, holds what all those hold that it
  // represents (two_shards, two_ranks).
  double share;
};

// The parts that the parameters of a distributed program hold, in the order of its parameters. `steps` are the pieces
// of the parameters after each step of its distribution, one after the other. The first step wrote shards, the second
// one ranks, as `written` says.
std::vector<HeldPart> held_parts(const std::vector<std::vector<Piece>>& steps, const ir::WrittenDevices& written = {});

struct Clipping {
  // The largest norm of all gradients together; above 0.
  double max_norm = 1;
  // Per parameter of the entry. Empty: the program was not distributed.
  std::vector<HeldPart> parts = {};
  // The devices that the program has.
  ir::WrittenDevices written = {};
  // The replicas that the program of one replica stands for, and per parameter how they hold it.
  int replicas                       = 1;
  std::vector<OneReplica::Held> held = {};
};

// Multiplies every gradient by min(1, max_norm / (norm + 1e-6)) before an optimizer takes it, where norm is the root of
// the sum of the squares of all elements of all gradients (Pascanu et al., 2013; clip_grad_norm_ of PyTorch). It is the
// last pass, since it needs the gradients as the devices hold them:
//
//   %s1 = SquaredNorm[copies = [1, 2]](%dw.1, %db.1)     // of what D1 holds; two devices hold %db
//   %s2 = SquaredNorm[copies = [1, 2]](%dw.2, %db.2)
//   %t1, %t2 = MPIAllreduce(%s1, %s2)                     // over the devices of all shards and stages
//   %cw.1, %cb.1 = ClipGradients[max_norm = 1](%dw.1, %db.1, %t1)
//
// If replicas share the update (ZeRO), every device first adds up over the replicas; otherwise every replica has the
// whole sum by itself. All optimizers come after it, in their order. A program without optimizers stays as it is.
//
// Throws Error if a gradient depends on what an optimizer made, or an optimizer updates what is no parameter.
ir::Module clip_gradients(ir::Module module, const ir::OpTable& ops, const Clipping& how);

}  // namespace foreflow::transform
