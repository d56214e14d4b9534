// The best, the second and the worst of 15 strategies, against what was measured.
#include <fmt/core.h>

#include <algorithm>

#include "reproduce/distsim.h"
#include "reproduce/published.h"

namespace foreflow::reproduce::definitions::distsim_table2 {
namespace {

std::string words(const distsim::Bar& bar) { return fmt::format("{}/{}/{}", bar.dp, bar.tp, bar.pp); }

Result run(const Options& options) {
  std::vector<distsim::Bar> bars = distsim::bars(options);
  std::erase_if(bars, [](const distsim::Bar& bar) { return bar.iterations_per_second == 0; });
  std::stable_sort(bars.begin(), bars.end(), [](const distsim::Bar& a, const distsim::Bar& b) {
    return a.iterations_per_second > b.iterations_per_second;
  });
  if (bars.size() < 2) throw Error("distsim_table2", "fewer than two strategies work");
  const auto lines = read_published(options.folder + "/tests/published/distsim/table2.csv");
  Result result;
  for (const Published& line : lines) {
    const std::string& what = line.word("what");
    const distsim::Bar& bar = what == "best" ? bars[0] : what == "second" ? bars[1] : bars.back();
    if (!line.word("d").empty()) {
      const std::string theirs = fmt::format("{}/{}/{}", line.whole("d"), line.whole("t"), line.whole("p"));
      result.rows.push_back(
          {what + ", D/T/P", theirs, words(bar), {}, Json::object().set("agree", theirs == words(bar))});
    }
    result.rows.push_back(compare(what + ", iterations per second", line.number("measured"), bar.iterations_per_second,
                                  Json::object().set("distsim", line.number("distsim"))));
  }
  result.rows.push_back(compare("best over worst", lines.front().number("measured") / lines.back().number("measured"),
                                bars.front().iterations_per_second / bars.back().iterations_per_second));
  result.notes.push_back(distsim::assumptions());
  return result;
}

}  // namespace

ReproductionDef row() {
  return {"distsim_table2", "the best and worst of 15 strategies for BERT-exLarge on 16 A10", distsim::kPaper, run};
}

}  // namespace foreflow::reproduce::definitions::distsim_table2
