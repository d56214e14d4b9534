#include "foreflow/base/text.h"
#include "reproduce/layers.h"

namespace foreflow::reproduce::definitions::galvatron_layers {
namespace {

struct Pass {
  int layers = 0, samples = 0;
};

// The 2 of "layernum[2]", which stands between "layernum[" and "]"; nothing when the word has another form.
std::optional<int> number_between(std::string_view word, std::string_view before, std::string_view after) {
  if (word.size() < before.size() + after.size() || !word.starts_with(before) || !word.ends_with(after)) return {};
  word.remove_prefix(before.size());
  word.remove_suffix(after.size());
  return parse_number<int>(word);
}

// "layernum[2]_bsz1_seq2048": a forward pass with its loss. Nothing for rows that its authors derive from these.
Pass pass_of(const Published& row) {
  const std::vector<std::string> words = split(row.word("key"), '_');
  if (words.size() != 3 || words[2] != "seq2048") return {};
  const auto layers = number_between(words[0], "layernum[", "]"), samples = number_between(words[1], "bsz", "");
  if (!layers || !samples) return {};
  return {*layers, *samples};
}

// The one row of a second file is the same pass as the first, 1.6 times as long: another machine, which is not named.
bool counts(const Published& row) {
  return pass_of(row).layers > 0 && row.word("file").find("seqlen") == std::string::npos;
}

void adjust(const Published& row, Json& scenario) {
  const Pass pass = pass_of(row);
  scenario.member("workload").set("layers", pass.layers);
  for (const char* key : {"microbatch_size", "global_batch"}) scenario.member("strategy").set(key, pass.samples);
}

// Two stages, wherever they are cut, so that the forward pass can be told from the backward one.
Result run(const Options& options) {
  return run_layers({.file     = "llama2-7b_computation_profile_ms.csv",
                     .scenario = "galvatron_layers",
                     .name     = [](const Published& row) { return row.word("key"); },
                     .adjust   = adjust,
                     .passes   = {{"forward", "value_ms", &PassTimes::forward}},
                     .unit     = 1e-3,
                     .counts   = counts,
                     .stages   = {1, 2}},
                    options);
}

}  // namespace

ReproductionDef row() {
  return {"galvatron_layers",
          "24 measured forward passes of 2 and 4 layers of Llama-2 7B, with head and loss, on an A100",
          "Miao et al., Galvatron: Efficient Transformer Training over Multiple GPUs Using Automatic Parallelism, VLDB "
          "2023 (Apache-2.0)",
          run};
}

}  // namespace foreflow::reproduce::definitions::galvatron_layers
