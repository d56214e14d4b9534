// The nine cases: how many unit tasks each has. The paper's text states two of them: 64 in case 4, "one broadcast" in
// case 8.
#include "reproduce/resharding.h"

namespace foreflow::reproduce::definitions::resharding_table2 {
namespace {

using namespace resharding;  // NOLINT(google-build-using-namespace): of this paper

std::string words(const reshard::Layout& layout) {
  return print(layout.spec) + " on " + reshard::print(layout.mesh.shape);
}

Result run(const Options& options) {
  Result result;
  for (const Case& one : cases(options)) {
    const auto units  = reshard::unit_tasks({one.move});
    const bool stated = one.name == "case 4" || one.name == "case 8";
    Row row           = compare(one.name + ": unit tasks", one.unit_tasks, static_cast<double>(units.tasks.size()),
                                Json::object().set("src", words(one.move.from)).set("dst", words(one.move.to)));
    result.rows.push_back(of_kind(std::move(row), stated ? "stated" : "counted"));
  }
  result.notes.push_back(
      "cases 4 and 8 are stated in the text; the others are counted by its definition, with the specs of the artifact "
      "(case 8 has none there: RRR is our reading)");
  return result;
}

}  // namespace

ReproductionDef row() {
  return {"resharding_table2", "the nine cases of cross-mesh resharding: number of unit tasks", kPaper, run};
}

}  // namespace foreflow::reproduce::definitions::resharding_table2
