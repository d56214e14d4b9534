#include "reproduce/resharding.h"

#include "foreflow/base/text.h"
#include "foreflow/platform/load.h"
#include "foreflow/platform/topologies.h"
#include "foreflow/scenario/run.h"

namespace foreflow::reproduce::resharding {
namespace {

std::vector<int64_t> extents(const std::string& text) {
  std::vector<int64_t> result;
  for (const std::string& extent : split(text, 'x')) result.push_back(parse_number<int64_t>(extent).value_or(0));
  return result;
}

// A mesh of (hosts, devices of each) on nodes of four.
reshard::Mesh mesh(const std::vector<int>& shape, int first_node) {
  reshard::Mesh result{shape, {}};
  for (int host = 0; host < shape[0]; ++host) {
    for (int device = 0; device < shape[1]; ++device)
      result.devices.push_back((first_node + host) * kNodeSize + device);
  }
  return result;
}

}  // namespace

platform::Platform nodes(int count) {
  return platform::make(platform::topologies().get("p3_8xlarge", "reproduce"), count);
}

std::vector<Published> published(const Options& options, const std::string& name) {
  return read_published(options.folder + "/tests/published/resharding/" + name + ".csv");
}

Json stated(const Options& options, std::string_view figure, std::string_view what) {
  for (const Published& line : published(options, "stated")) {
    if (line.word("figure") != figure || line.word("what") != what) continue;
    const auto number = parse_number<double>(line.word("value"));
    return number ? Json(*number) : Json(line.word("value"));
  }
  throw Error("tests/published/resharding/stated.csv", "has no line \"" + std::string(what) + "\"");
}

reshard::Move move(const std::vector<int64_t>& shape, const std::vector<int>& src_mesh, const std::string& src_spec,
                   const std::vector<int>& dst_mesh, const std::string& dst_spec) {
  return {{"", shape, Bytes(4)},
          {mesh(src_mesh, 0), reshard::parse_spec(src_spec, "src_spec")},
          {mesh(dst_mesh, src_mesh[0]), reshard::parse_spec(dst_spec, "dst_spec")}};
}

std::vector<Case> cases(const Options& options) {
  std::vector<Case> result;
  for (const Published& line : published(options, "table2")) {
    const auto shape = [&](const char* column) { return reshard::parse_shape(line.word(column), column); };
    result.push_back({"case " + line.word("case"),
                      move(extents(line.word("shape")), shape("src_mesh"), line.word("src_spec"), shape("dst_mesh"),
                           line.word("dst_spec")),
                      line.whole("unit_tasks")});
  }
  return result;
}

Seconds time_of(const reshard::Move& move, const Way& way, int chunks) {
  reshard::PlanOptions options;
  options.chunks = chunks;
  if (!way.balance.empty()) options.balance = &reshard::balances().get(way.balance, "reproduce");
  const auto platform = nodes(move.from.mesh.shape[0] + move.to.mesh.shape[0]);
  return scenario::run_resharding(platform, {move}, reshard::strategies().get(way.strategy, "reproduce"), options,
                                  simulate::engines().get("simgrid", "reproduce"))
      .time;
}

Row of_kind(Row row, std::string_view kind) {
  row.more.set("kind", kind);
  return row;
}

Row compare_stated(std::string name, const Json& stated, double ours) {
  if (const double* number = stated.if_double()) return of_kind(compare(std::move(name), *number, ours), "stated");
  return of_kind({std::move(name), stated, ours}, "stated");
}

double weights_of(const Json& scenario, const std::string& file) {
  Json source = scenario;
  Json& model = source.member("workload");
  model.set("mode", "training").set("optimizer", "sgd");  // which keeps nothing of a weight
  const auto sequential = scenario::build(scenario::load(source, file));
  const auto& function  = sequential.module.entry();
  double count          = 0;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const ir::TypeRef& type = function.values[i].annotation;
    if (function.parameters[i] == ir::ParameterRole::weight && type != nullptr)
      count += static_cast<double>(ir::element_count(type->dims));
  }
  return count;
}

double gibibits(Bytes size, Seconds time) { return (size / time).value() * 8 / 0x1p30; }

}  // namespace foreflow::reproduce::resharding
