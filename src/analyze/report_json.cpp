#include "foreflow/analyze/report.h"

namespace foreflow::analyze {
namespace {

std::string result_name(const ir::Function& function, const ir::Op& op) {
  if (op.result_count == 0) return "";
  const std::string& name = function.value(function.output(op, 0)).name;
  return name.empty() ? "v" + std::to_string(op.first_result) : name;
}

Json functions_to_json(const std::vector<FunctionRow>& rows) {
  Json list = Json::array();
  for (const FunctionRow& row : rows) {
    list.push(
        Json::object().set("name", row.name).set("ops", row.ops).set("called_from", row.places).set("runs", row.runs));
  }
  return list;
}

Json types_to_json(const std::vector<TypeRow>& rows) {
  Json list = Json::array();
  for (const TypeRow& row : rows) {
    list.push(Json::object()
                  .set("op", row.op)
                  .set("count", row.count)
                  .set("flops", row.flops.value())
                  .set("read_bytes", whole_bytes(row.read))
                  .set("written_bytes", whole_bytes(row.written)));
  }
  return list;
}

Json path_to_json(const Analysis& analysis) {
  Json ops = Json::array();
  for (const int32_t op : analysis.path.path) ops.push(static_cast<int64_t>(op));
  return Json::object()
      .set("weight", analysis.weighing.name)
      .set("length", analysis.path.length)
      .set("total", analysis.path.total)
      .set("unpriced", analysis.weighing.unpriced)
      .set("ops", std::move(ops));
}

Json ops_to_json(const ir::Function& function, const Analysis& analysis) {
  Json list = Json::array();
  for (size_t o = 0; o < function.ops.size(); ++o) {
    const ir::Op& op       = function.ops[o];
    const OpTiming& timing = analysis.path.ops[o];
    Json readers           = Json::array();
    for (const int32_t reader : analysis.graph.readers[o]) readers.push(static_cast<int64_t>(reader));
    list.push(Json::object()
                  .set("name", result_name(function, op))
                  .set("op", op.def->name)
                  .set("line", static_cast<int64_t>(op.line))
                  .set("weight", timing.weight)
                  .set("earliest_start", timing.earliest_start)
                  .set("latest_start", timing.latest_start)
                  .set("slack", timing.slack())
                  .set("readers", std::move(readers)));
  }
  return list;
}

Json fusion_to_json(const Analysis& analysis) {
  Json groups = Json::array(), patterns = Json::array();
  for (const FusionGroup& group : analysis.fusion.groups) {
    Json ops = Json::array();
    for (const int32_t op : group.ops) ops.push(static_cast<int64_t>(op));
    groups.push(Json::object()
                    .set("pattern", group.pattern)
                    .set("ops", std::move(ops))
                    .set("saved_bytes", whole_bytes(group.saved)));
  }
  for (const FusionRow& row : analysis.fusions) {
    patterns.push(Json::object()
                      .set("pattern", row.pattern)
                      .set("ops", row.ops)
                      .set("groups", row.groups)
                      .set("kernels", row.kernels)
                      .set("saved_bytes", whole_bytes(row.saved)));
  }
  return Json::object()
      .set("kernels", analysis.fusion.kernels)
      .set("fused_kernels", analysis.fusion.fused)
      .set("traffic_bytes", whole_bytes(analysis.fusion.traffic))
      .set("saved_bytes", whole_bytes(analysis.fusion.saved))
      .set("patterns", std::move(patterns))
      .set("groups", std::move(groups));
}

}  // namespace

Json to_json(const Subject& subject, const Analysis& analysis) {
  const ir::Function& function = subject.function();
  return Json::object()
      .set("function", function.name)
      .set("functions", functions_to_json(analysis.functions))
      .set("edges", analysis.graph.edges())
      .set("op_types", types_to_json(analysis.types))
      .set("critical_path", path_to_json(analysis))
      .set("fusion", fusion_to_json(analysis))
      .set("ops", ops_to_json(function, analysis));
}

}  // namespace foreflow::analyze
