#include "lower/issuer.h"

#include <algorithm>
#include <utility>

#include "foreflow/ir/fp8.h"
#include "foreflow/ir/pipeline_ends.h"

namespace foreflow::lower {
namespace {

bool is_main(const ir::Device& device) { return device.stream_name().empty(); }

bool is_update(const ir::Op& op) { return op.def->role == ir::Role::optimizer || op.def->for_update; }

}  // namespace

Issuer::Issuer(const HostCosts& costs, Pace pace, Fragment fragment, const ir::Function& function,
               const std::vector<bool>& backward)
    : costs_(costs),
      pace_(std::move(pace)),
      on_(costs.any()),
      fragment_(fragment),
      function_(function),
      backward_(backward),
      is_result_(function.values.size()),
      reached_{fragment == Fragment::caller ? 0 : 1, fragment == Fragment::whole ? 2 : 0} {
  for (const ir::ValueId id : function.results) is_result_[ir::index(id)] = true;
}

bool Issuer::accumulates(const ir::Op& op) const {
  if (fragment_ != Fragment::pass) return fragment_ == Fragment::caller;
  if (!op.def->sums_operands || !is_result_[op.first_result]) return false;
  const ir::ValueId sum = function_.inputs(op)[0];
  return sum != ir::ValueId::none && ir::index(sum) < function_.parameters.size();
}

Seconds Issuer::each_kernel(const ir::Op& op) const {
  if (is_update(op)) return Seconds(0);
  if (accumulates(op)) return costs_.accumulation;
  return !backward_.empty() && backward_[op.first_result] ? costs_.gradient : costs_.kernel;
}

void Issuer::reach(const ir::Op& op) {
  if (!on_ || op.is_call()) return;
  // A replica's function may end before the backward pass, which is then its caller's.
  if (fragment_ != Fragment::pass && op.def->role == ir::Role::loss_gradient)
    reached_ = fragment_ == Fragment::whole ? Work{2, 4} : Work{1, 2};
  if (op.attributes->find(ir::kPipelineEnds) == nullptr) return;
  // An op in several parts has the attribute in each.
  reached_.quarters = std::max(reached_.quarters, static_cast<int>(op.attributes->get_int(ir::kPipelineEnds)));
}

Seconds Issuer::preparation(const Work& issued, const ir::Device& device) const {
  return pace_(device) * (static_cast<double>(reached_.calls - issued.calls) * costs_.call +
                          static_cast<double>(reached_.quarters - issued.quarters) * costs_.microbatch / 4);
}

bool Issuer::begins_anew(const ir::Op& op, const ir::Device& device) const {
  if (!on_ || !is_main(device)) return false;
  const auto seen = seen_.find(device);
  if (is_update(op) && (seen == seen_.end() || !seen->second.update)) return true;
  return seen != seen_.end() && preparation(seen->second.issued, device) > Seconds(0);
}

void Issuer::add(const ir::Op& op, const ir::Device& device, int kernels, Seconds time, stream::Issue& issue) {
  if (!on_ || !is_main(device)) return;
  if (kernels == 0) {
    if (issue.lag > Seconds(0)) issue.lengthen(time);
    return;
  }
  Seen& seen        = seen_[device];
  const double pace = pace_(device);
  issue.prepare(preparation(seen.issued, device));
  seen.issued = reached_;
  // Updates of many tensors are a few kernels, which `step` counts.
  if (is_update(op) && !seen.update) {
    seen.update = true;
    issue.waits = costs_.waits_for_gradients;
    issue.prepare(pace * costs_.step);
  }
  if (op.attributes->int_or(ir::kFp8, -1) >= 0) ++kernels;  // converts an operand first
  kernels += static_cast<int>(op.attributes->int_or(ir::kFp8Updates, 0));
  issue.add_kernels(kernels, pace * each_kernel(op), time);
}

stream::Issue Issuer::of(collective::Kind kind, const std::vector<ir::Device>& members) const {
  stream::Issue issue;
  if (!on_ || std::none_of(members.begin(), members.end(), is_main)) return issue;
  const bool message    = kind == collective::Kind::send;
  const bool hands_over = message && members.size() == 2 && members[0].same_gpu(members[1]);
  // A hand-over to the main stream needs no issue, because the work before it was issued already. While the main stream
  // waits, an event of the device holds it, not the host.
  if (hands_over && !is_main(members[0])) return issue;
  double pace = 0;
  for (const ir::Device& member : members) pace = is_main(member) ? std::max(pace, pace_(member)) : pace;
  issue.all   = pace * (message && !hands_over ? costs_.message : costs_.collective);
  issue.waits = message && !hands_over && costs_.waits_for_messages;
  return issue;
}

}  // namespace foreflow::lower
