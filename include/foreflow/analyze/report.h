// All analyses of a program together, as text for people and as JSON.
#pragma once

#include <string>
#include <vector>

#include "foreflow/analyze/dependencies.h"
#include "foreflow/analyze/fusion.h"
#include "foreflow/analyze/work.h"
#include "foreflow/base/json.h"

namespace foreflow::analyze {

// A function of a program with calls: its number of ops, the number of call sites (`places`), and the number of times
// it runs.
struct FunctionRow {
  std::string name;
  size_t ops = 0, places = 0;
  double runs = 0;
};
// Callees before callers, the entry last.
std::vector<FunctionRow> function_rows(const ir::Module& module);

struct Analysis {
  std::vector<FunctionRow> functions;  // of the program before its calls were inlined
  std::vector<ir::Work> work;
  std::vector<TypeRow> types;
  Dependencies graph;
  Weighing weighing;
  CriticalPath path;
  Fusion fusion;
  std::vector<FusionRow> fusions;
};

// Runs all analyses. The critical path ignores shape arithmetic, whose results are known before the run.
Analysis analyze(const Subject& subject, std::vector<FunctionRow> functions, Weighing weighing);

// brief: a long critical path is summarised by op type. every_op: one line for each op, with its start and slack.
enum class Detail : uint8_t { brief, every_op };
std::string to_text(const std::string& source, const Subject& subject, const Analysis& analysis, Detail detail);
Json to_json(const Subject& subject, const Analysis& analysis);

}  // namespace foreflow::analyze
