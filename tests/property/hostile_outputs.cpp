#include "property/hostile_outputs.h"

#include <stdexcept>

#include "foreflow/analyze/report.h"
#include "foreflow/base/table.h"
#include "foreflow/cost/measurement.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/platform/describe.h"
#include "foreflow/platform/draw.h"
#include "foreflow/report/writer.h"
#include "foreflow/search/search.h"
#include "foreflow/sweep/sweep.h"
#include "platform/blueprint.h"
#include "unit/report/example.h"

namespace foreflow::test {
namespace {

using platform::Platform;
using report::test::Example;

// Two devices on two nodes.
Platform named_platform(const std::string& name) {
  std::vector<platform::Device> devices;
  for (const std::string& number : {std::string(), std::string("2")}) {
    devices.push_back({name + number,
                       name,
                       std::string("node").append(name).append(number),
                       Bytes(100),
                       BytesPerSecond(1000),
                       {{name, FlopsPerSecond(100)}, {"f16", FlopsPerSecond(100)}},
                       Seconds(0)});
  }
  const platform::Link up   = {name + "_UP", name, BytesPerSecond(20), Seconds(0)},
                       down = {name + "_DOWN", name, BytesPerSecond(20), Seconds(0)};
  const platform::Route none{{}, Seconds(0)};
  return Platform(name, devices, {up, down}, {none, {{0}, Seconds(0)}, {{1}, Seconds(0)}, none});
}

Example named_example(const std::string& name, bool jobs) {
  Example example  = report::test::example();
  example.platform = named_platform(name);
  report::Job& job = example.job;
  job.name = job.engine = job.placement = name;
  job.scenario_echo                     = Json::object().set("name", name).set(name, name);
  job.cost_provenance                   = Json::object().set(name, 1.0);
  for (stream::Compute& compute : example.program.computes) {
    compute.name = name;
    for (stream::Part& part : compute.parts) part.name = name;
  }
  for (stream::Communication& communication : example.program.communications) communication.name = name;
  for (size_t s = 0; s < example.program.streams.size(); ++s)
    example.program.streams[s].name = name + (s == 0 ? "" : std::to_string(s + 1));
  if (!jobs) return example;
  example.program.jobs           = {name, name + "2"};
  example.program.devices[1].job = 1;
  for (const std::string& own : example.program.jobs) {
    report::SharedJob& shared = job.jobs.emplace_back();
    shared.name = shared.placement = own;
    shared.dtype                   = "f16";
    shared.alone                   = Seconds(1);
    shared.samples                 = 1;
  }
  return example;
}

// A writer without a language here fails, so that a new row of the table finds its way into these tests.
Language language_of(std::string_view writer) {
  if (writer == "text") return Language::terminal;
  if (writer == "json" || writer == "trace") return Language::json;
  if (writer == "csv") return Language::csv;
  if (writer == "html" || writer == "svg") return Language::markup;
  throw std::runtime_error("tell which language the report " + std::string(writer) + " is in");
}

void add_reports(std::vector<Output>& outputs) {
  for (const report::WriterDef& writer : report::writers()) {
    for (const bool jobs : {false, true}) {
      outputs.push_back({std::string(writer.name) + (jobs ? "_of_jobs" : ""), language_of(writer.name),
                         [&writer, jobs](const std::string& name) {
                           const Example of = named_example(name, jobs);
                           return writer.write(of.summary(), of.program, of.timeline, of.platform);
                         }});
    }
  }
}

std::string platform_xml(const std::string& name) {
  platform::Blueprint blueprint;
  const platform::Port port = {name, BytesPerSecond(25e9), Seconds(2e-6)};
  blueprint.comment         = {name};
  blueprint.props           = {{name, name}};
  blueprint.vertices        = {name, name + "2"};
  blueprint.hosts           = {{0, name, 0, 0}};
  blueprint.routers         = {1};
  blueprint.cables          = {{name, port, 0, 1, {{name, name}}}};
  platform::HostSheet& host = blueprint.sheets.emplace_back();
  host.gpu.kind             = name;
  host.gpu.peaks            = {{name, FlopsPerSecond(1e12)}};
  host.cpu.name             = name;
  return platform::write(blueprint);
}

void add_platforms(std::vector<Output>& outputs) {
  outputs.push_back({"describe", Language::terminal,
                     [](const std::string& name) { return platform::describe(named_platform(name)); }});
  outputs.push_back({"describe_route", Language::terminal, [](const std::string& name) {
                       return platform::describe_route(named_platform(name), name, name + "2");
                     }});
  outputs.push_back({"platform_json", Language::json, [](const std::string& name) {
                       return platform::route_to_json(named_platform(name), name, name + "2").dump();
                     }});
  outputs.push_back({"platform_svg", Language::markup,
                     [](const std::string& name) { return platform::draw_svg(named_platform(name)); }});
  outputs.push_back({"platform_dot", Language::dot,
                     [](const std::string& name) { return platform::draw_dot(named_platform(name)); }});
  outputs.push_back({"platform_xml", Language::markup, platform_xml});
}

// An axis of a sweep, a point that is done and one that failed.
sweep::Result sweep_result(const std::string& name) {
  sweep::Result result;
  result.source = Json::object().set("name", name);
  result.axes   = {{{"strategy", name}, {name, Json::object().set(name, name)}}};
  Json answer   = Json::object();
  for (const std::string& column : sweep::answer_columns()) answer.set(column, 1.5);
  answer.set("fits", true).set("busiest_link", name);
  result.points = {{{0}, sweep::Status::done, answer, ""}, {{1}, sweep::Status::failed, {}, name}};
  return result;
}

void add_sweeps(std::vector<Output>& outputs) {
  outputs.push_back({"sweep_text", Language::terminal,
                     [](const std::string& name) { return sweep::to_text(sweep_result(name), 9); }});
  outputs.push_back({"sweep_json", Language::json,
                     [](const std::string& name) { return sweep::to_json(sweep_result(name)).dump(); }});
  outputs.push_back(
      {"sweep_csv", Language::csv, [](const std::string& name) { return sweep::to_csv(sweep_result(name)); }});
}

search::Result search_result(const std::string& name) {
  const Json strategy = Json::object().set("schedule", name).set(name, name);
  search::Result result;
  result.ranked     = {{strategy, name, Json::object().set(name, name), Seconds(1), 1, Bytes(1)},
                       {Json::object().set("dp", 2), "x", name, Seconds(2), 1, Bytes(1)}};
  result.pareto     = result.ranked;
  result.infeasible = {{strategy, Json(), Json(), Refusal(Cause::value, name, name), name}};
  result.reasons    = {{name, 1}};
  return result;
}

void add_searches(std::vector<Output>& outputs) {
  outputs.push_back({"search_text", Language::terminal,
                     [](const std::string& name) { return search::to_text(search_result(name), 9); }});
  outputs.push_back({"search_json", Language::json,
                     [](const std::string& name) { return search::to_json(search_result(name), 9).dump(); }});
  outputs.push_back(
      {"search_csv", Language::csv, [](const std::string& name) { return search::to_csv(search_result(name)); }});
}

void add_tables(std::vector<Output>& outputs) {
  outputs.push_back({"aligned", Language::terminal, [](const std::string& name) {
                       return aligned({{name, name}, {name, "1"}}, "<>");
                     }});
  outputs.push_back({"tally", Language::terminal, [](const std::string& name) {
                       return tally({{name, 2}, {"other", 1}});
                     }});
  outputs.push_back({"csv_line", Language::csv, [](const std::string& name) { return csv_line({name, "1", name}); }});
  outputs.push_back({"measurements", Language::csv, [](const std::string& name) {
                       cost::Measurement row;
                       row.op = row.dtype = row.signature = name;
                       return cost::print_csv(std::vector{row});
                     }});
}

// A program whose function and values have the name, which no reader of programs lets through.
ir::Module named_program(const std::string& name) {
  ir::Module module =
      ir::parse("func @f(%a: Tensor[Float32, (4,)]) {\n  %b = Relu(%a)\n  %c = Relu(%b)\n  return %c\n}\n", "p.distir",
                ops::table());
  module.functions[0].name = name;
  for (size_t i = 0; i < module.functions[0].values.size(); ++i)
    module.functions[0].values[i].name = name + (i == 0 ? "" : std::to_string(i));
  return module;
}

void add_analyses(std::vector<Output>& outputs) {
  outputs.push_back({"analyze_dot", Language::dot, [](const std::string& name) {
                       const ir::Module module           = named_program(name);
                       const analyze::Dependencies graph = analyze::dependencies(module.entry());
                       return analyze::to_dot(module.entry(), graph, analyze::critical_path(graph, {1, 1}), "ops");
                     }});
  outputs.push_back({"analyze_json", Language::json, [](const std::string& name) {
                       const ir::Module module = named_program(name);
                       const analyze::Subject subject(module);
                       return analyze::to_json(subject, analyze::analyze(subject, analyze::function_rows(module),
                                                                         analyze::weigh_ops(subject)))
                           .dump();
                     }});
}

}  // namespace

std::vector<Output> named_outputs() {
  std::vector<Output> outputs;
  add_reports(outputs);
  add_platforms(outputs);
  add_sweeps(outputs);
  add_searches(outputs);
  add_tables(outputs);
  add_analyses(outputs);
  return outputs;
}

}  // namespace foreflow::test
