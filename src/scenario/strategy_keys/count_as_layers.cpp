#include <algorithm>
#include <array>

#include "foreflow/base/text.h"
#include "scenario/idle_reasons.h"
#include "scenario/strategy_keys/common.h"

namespace foreflow::scenario::definitions::count_as_layers_key {
namespace {

struct Word {
  std::string_view name;
  bool embedding, head;
};
constexpr std::array<Word, 4> kWords = {
    {{"none", false, false}, {"embedding", true, false}, {"head", false, true}, {"both", true, true}}};

std::vector<std::string> count_names() {
  std::vector<std::string> all;
  for (const Word& word : kWords) all.emplace_back(word.name);
  return all;
}

void read(const JsonView& value, Strategy& strategy) {
  const auto found =
      std::find_if(kWords.begin(), kWords.end(), [&](const Word& word) { return word.name == value.as_string(); });
  if (found == kWords.end()) value.fail("is \"" + value.as_string() + "\"; write " + list_or(count_names()));
  strategy.layer_share.embedding = found->embedding;
  strategy.layer_share.head      = found->head;
}

Json write(const Strategy& strategy) {
  const auto& share = strategy.layer_share;
  const auto found  = std::find_if(kWords.begin(), kWords.end(), [&](const Word& word) {
    return word.embedding == share.embedding && word.head == share.head;
  });
  return found->name;
}

std::string idle(const Scenario& scenario) {
  return scenario.strategy.layer_share.counts() ? unless_pipelined(scenario) : "";
}

}  // namespace

StrategyKeyDef row() {
  return {
      .name = "count_as_layers",
      .doc =
          "what counts as a layer besides the layers where stages have as many layers each: `embedding` (what comes "
          "before the first layer), `head` (what comes after the last), `both` or `none`; with `both`, 22 layers "
          "make 24 stages. Megatron-LM's account_for_embedding_in_pipeline_split and "
          "account_for_loss_in_pipeline_split",
      .type       = types::one_of(count_names()),
      .fallback   = "none",
      .read       = read,
      .depends_on = {"count_as_layers"},
      .write      = write,
      .idle       = idle};
}

}  // namespace foreflow::scenario::definitions::count_as_layers_key
