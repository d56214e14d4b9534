#include "execute/job.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "execute/values.h"
#include "foreflow/base/json.h"
#include "foreflow/base/nth.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"

namespace foreflow::execute {
namespace {

constexpr const char* kSource = "job";

template <class T>
Json list(const std::vector<T>& values) {
  Json all = Json::array();
  for (const T& value : values) all.push(Json(value));
  return all;
}

Json list(const std::vector<Seconds>& times) {
  Json all = Json::array();
  for (const Seconds time : times) all.push(time.value());
  return all;
}

std::vector<int> ints(const JsonView& json) {
  std::vector<int> values;
  for (const JsonView& item : json.items()) values.push_back(static_cast<int>(item.as_int()));
  return values;
}

std::vector<Seconds> times(const JsonView& json) {
  std::vector<Seconds> values;
  for (const JsonView& item : json.items()) values.emplace_back(item.as_number());
  return values;
}

Json to_json(const CommunicationRun& communication) {
  Json row = Json::array();
  row.push(communication.number);
  row.push(communication.op);
  row.push(ir::to_string(communication.operand));
  row.push(ir::to_string(communication.result));
  row.push(list(communication.from));
  row.push(list(communication.to));
  return row;
}

CommunicationRun communication_from(const JsonView& json) {
  const auto row = json.items();
  return {static_cast<int>(row[0].as_int()),           row[1].as_string(), ir::parse_type(row[2].as_string(), kSource),
          ir::parse_type(row[3].as_string(), kSource), ints(row[4]),       ints(row[5])};
}

void append(std::vector<std::string>& parts, const std::vector<ir::Array>& values) {
  for (const ir::Array& value : values) parts.push_back(to_bytes(value));
}

std::vector<ir::Array> values_after(const std::vector<std::string>& parts, size_t first) {
  std::vector<ir::Array> values;
  for (size_t i = first; i < parts.size(); ++i) values.push_back(value_from(parts[i]));
  return values;
}

Json to_json(const IterationTimes& iteration) {
  return list(std::vector<Seconds>{iteration.total, iteration.compute, iteration.communication, iteration.wait});
}

std::vector<cost::Measurement> measured(const Log& log, int rank) {
  std::vector<cost::Measurement> rows;
  for (const auto& [signature, op] : log.ops) {
    cost::Measurement row;
    row.rank      = rank;
    row.op        = op.op;
    row.dtype     = op.dtype;
    row.signature = signature;
    row.flops     = op.work.flops;
    row.read      = op.work.read;
    row.written   = op.work.written;
    row.count     = static_cast<int64_t>(op.times.size());
    row.time      = cost::median(op.times);
    row.fastest   = *std::min_element(op.times.begin(), op.times.end());
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::string to_bytes(const Job& job) {
  Json json = Json::object();
  json.set("rank", job.rank).set("devices", list(job.devices));
  json.set("iterations", job.iterations).set("warmup", job.warmup);
  Json communications = Json::array();
  for (const CommunicationRun& communication : job.program.communications) communications.push(to_json(communication));
  json.set("communications", std::move(communications));
  std::vector<std::string> parts = {json.dump_compact(), ir::print(job.program.module)};
  append(parts, job.arguments);
  return pack(parts);
}

Job job_from(std::string_view bytes) {
  const std::vector<std::string> parts = unpack(bytes);
  const Json json                      = parse_json(parts[0], kSource);
  const JsonView view(json, kSource);
  Job job;
  job.rank = static_cast<int>(view.at("rank").as_int());
  for (const JsonView& device : view.at("devices").items()) job.devices.push_back(device.as_string());
  job.iterations = static_cast<int>(view.at("iterations").as_int());
  job.warmup     = static_cast<int>(view.at("warmup").as_int());
  for (const JsonView& communication : view.at("communications").items())
    job.program.communications.push_back(communication_from(communication));
  const std::string name  = nth(job.devices, job.rank) + ".distir";
  job.program.module      = ir::parse(parts[1], name, ops::table());
  constexpr size_t kTexts = 2;
  job.arguments           = values_after(parts, kTexts);
  return job;
}

std::string to_bytes(const std::vector<ir::Array>& results, const Log& log, int rank) {
  Json json = Json::object(), communications = Json::array(), iterations = Json::array();
  for (const std::vector<Seconds>& communication : log.communications) communications.push(list(communication));
  for (const IterationTimes& iteration : log.iterations) iterations.push(to_json(iteration));
  json.set("communications", std::move(communications)).set("iterations", std::move(iterations));
  const std::vector<cost::Measurement> rows = measured(log, rank);
  std::vector<std::string> parts            = {json.dump_compact(), rows.empty() ? "" : cost::print_csv(rows)};
  append(parts, results);
  return pack(parts);
}

Answer answer_from(std::string_view bytes) {
  const std::vector<std::string> parts = unpack(bytes);
  const Json json                      = parse_json(parts[0], kSource);
  const JsonView view(json, kSource);
  Answer answer;
  for (const JsonView& communication : view.at("communications").items())
    answer.communications.push_back(times(communication));
  for (const JsonView& iteration : view.at("iterations").items()) {
    const auto row = times(iteration);
    answer.iterations.push_back({row[0], row[1], row[2], row[3]});
  }
  if (!parts[1].empty()) answer.ops = cost::parse_csv(parts[1], kSource);
  constexpr size_t kTexts = 2;
  answer.results          = values_after(parts, kTexts);
  return answer;
}

std::string job_file(size_t program, int rank) { return fmt::format("{}.{}.job", program, rank); }
std::string answer_file(size_t program, int rank) { return fmt::format("{}.{}.answer", program, rank); }
std::string failure_file(int rank) { return fmt::format("{}.failure", rank); }

std::string run_job(const Job& job, const Exchange& exchange) {
  CommunicationRun all_processes;
  all_processes.from.resize(job.devices.size());
  std::iota(all_processes.from.begin(), all_processes.from.end(), 0);
  RankRun run(job.program, job.rank, exchange);
  std::vector<ir::Array> results;
  for (int i = 0; i < job.warmup + job.iterations; ++i) {
    try {
      rendezvous(all_processes, job.rank, exchange);
    } catch (const Error& error) {
      throw Error("the start of an iteration", error.problem());
    }
    results = run.iterate(job.arguments, i < job.warmup ? RankRun::Timing::off : RankRun::Timing::on);
  }
  return to_bytes(results, run.log(), job.rank);
}

}  // namespace foreflow::execute
