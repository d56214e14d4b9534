#include "foreflow/ir/attribute_names.h"

#include <algorithm>
#include <iterator>

#include "foreflow/base/suggestion.h"
#include "foreflow/base/text.h"
#include "foreflow/ir/call_devices.h"
#include "foreflow/ir/fp8.h"
#include "foreflow/ir/in_loss.h"
#include "foreflow/ir/pipeline_ends.h"
#include "foreflow/ir/replicas.h"
#include "foreflow/ir/unchosen.h"

namespace foreflow::ir {
namespace {

// Every op may have these. Names without a constant here belong to higher floors: from, jobs (lower), in_place,
// keeps_input, placed (ops), of_copies, of_sum, recompute, segment (transform).
constexpr std::string_view kMarks[] = {kFp8,          kFp8Gradient, kFp8Inference, kFp8Updates, "from",    kInLoss,
                                       "in_place",    "jobs",       "keeps_input", "of_copies", "of_sum",  kOwnRow,
                                       kPipelineEnds, "placed",     "recompute",   kRanks,      kReplicas, "segment",
                                       kShards,       kSharers,     kStream,       kUnchosen};

// Returns true if `name` is one of the words of `text`, which single spaces separate.
bool has_word(std::string_view text, std::string_view name) {
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at == 0 || text[at - 1] == ' ') && (end == text.size() || text[end] == ' ')) return true;
  }
  return false;
}

}  // namespace

bool may_have(const OpDef& def, std::string_view name) {
  return !def.attributes || has_word(*def.attributes, name) ||
         std::find(std::begin(kMarks), std::end(kMarks), name) != std::end(kMarks);
}

std::string attribute_problem(const OpDef& def, std::string_view name) {
  if (may_have(def, name)) return "";
  const std::string problem = "attribute \"" + std::string(name) + "\" of " + std::string(def.name) + " is not known";
  if (def.attributes->empty()) return problem + "; it has none";
  const std::vector<std::string> known = split(*def.attributes, ' ');
  const auto near                      = near_name(name, known);
  return problem + (near && known.size() > 1 ? "; the nearest is \"" + *near + "\"" : "") + "; it has " +
         list_or(known);
}

}  // namespace foreflow::ir
