#include "lower/issuer.h"

#include <algorithm>

#include "foreflow/ir/fp8.h"

namespace foreflow::lower {
namespace {

bool is_main(const ir::Device& device) { return device.stream_name().empty(); }

bool is_update(const ir::Op& op) { return op.def->role == ir::Role::optimizer; }

// Looks up rows of a table of embeddings, or adds gradients to them; also the form for a part of the table.
bool embeds(const ir::Op& op) {
  using Kind = ir::VocabularyForm::Kind;
  if (op.def->loss) return false;
  const Kind kind = op.def->vocabulary.kind;
  return kind == Kind::lookup || kind == Kind::lookup_gradient ||
         (op.attributes->find("first") != nullptr && op.attributes->find("all") != nullptr);
}

}  // namespace

bool Issuer::begins_anew(const ir::Op& op, const ir::Device& device) {
  return on_ && is_main(device) && is_update(op) && !seen_[device].update;
}

Seconds Issuer::of_microbatch(const ir::Op& op, Seen& seen) const {
  const Seconds quarter = costs_.microbatch / 4;
  if (op.def->loss && !seen.loss) {
    seen.loss = true;
    return quarter;
  }
  if (!embeds(op) || (seen.embedding && !seen.loss)) return Seconds(0);
  // The backward pass of a function that has both passes: also that of the loss.
  const bool closes = seen.embedding;
  seen.embedding    = true;
  seen.loss         = false;
  return closes ? 2 * quarter : quarter;
}

void Issuer::add(const ir::Op& op, const ir::Device& device, int kernels, Seconds time, stream::Issue& issue) {
  if (!on_ || !is_main(device)) return;
  if (kernels == 0) {
    if (issue.lag > Seconds(0)) issue.lag += time;
    return;
  }
  Seen& seen = seen_[device];
  if (!seen.anything) issue.prepare(costs_.call);
  seen.anything = true;
  issue.prepare(of_microbatch(op, seen));
  // Updates of many tensors are a few kernels, which `step` counts.
  if (is_update(op) && !seen.update) {
    seen.update = true;
    issue.waits = costs_.waits_for_gradients;
    issue.prepare(costs_.step);
  }
  if (op.attributes->find(ir::kFp8) != nullptr) ++kernels;  // converts an operand first
  issue.add_kernels(kernels, is_update(op) ? Seconds(0) : costs_.kernel, time);
}

stream::Issue Issuer::of(collective::Kind kind, const std::vector<ir::Device>& members) const {
  stream::Issue issue;
  if (!on_ || std::none_of(members.begin(), members.end(), is_main)) return issue;
  const bool message    = kind == collective::Kind::send;
  const bool hands_over = message && members.size() == 2 && members[0].same_gpu(members[1]);
  // What hands back to the main stream has been issued before; an event of the device holds the stream, not the host.
  if (hands_over && !is_main(members[0])) return issue;
  issue.all   = message && !hands_over ? costs_.message : costs_.collective;
  issue.waits = message && !hands_over && costs_.waits_for_messages;
  return issue;
}

}  // namespace foreflow::lower
