// The bars of all 15 strategies; those that do not work are 0, as the paper draws them.
#include <fmt/core.h>

#include "reproduce/distsim.h"
#include "reproduce/published.h"

namespace foreflow::reproduce::definitions::distsim_figure12 {
namespace {

Result run(const Options& options) {
  const auto lines = read_published(options.folder + "/tests/published/distsim/table2.csv");
  Result result;
  for (const distsim::Bar& bar : distsim::bars(options)) {
    std::string name        = fmt::format("D{} T{} P{}: iterations per second", bar.dp, bar.tp, bar.pp);
    Json more               = bar.why.empty() ? Json() : Json::object().set("why", bar.why);
    const Published* theirs = nullptr;
    for (const Published& line : lines) {
      if (!line.word("d").empty() && line.whole("d") == bar.dp && line.whole("t") == bar.tp &&
          line.whole("p") == bar.pp)
        theirs = &line;
    }
    result.rows.push_back(theirs == nullptr ? Row{std::move(name), {}, bar.iterations_per_second, {}, std::move(more)}
                                            : compare(std::move(name), theirs->number("distsim"),
                                                      bar.iterations_per_second, std::move(more)));
  }
  result.notes.push_back("the paper prints the numbers of the best and the worst bar only");
  result.notes.push_back(distsim::assumptions());
  return result;
}

}  // namespace

ReproductionDef row() {
  return {"distsim_figure12", "iterations per second of 15 strategies for BERT-exLarge on 16 A10", distsim::kPaper,
          run};
}

}  // namespace foreflow::reproduce::definitions::distsim_figure12
