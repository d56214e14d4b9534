#include "cli/reshard_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "foreflow/base/escape.h"
#include "foreflow/base/nth.h"
#include "foreflow/platform/link_kinds.h"
#include "foreflow/reshard/volume.h"

namespace foreflow::cli {
namespace {

using reshard::Job;
using scenario::ReshardingRun;

constexpr size_t kMostTurns = 32, kMostCards = 16, kGanttColumns = 72;

std::string device_name(const platform::Platform& platform, int device) { return nth(platform.devices(), device).name; }

// In a line for people.
std::string shown(const platform::Platform& platform, int device) {
  return escape::terminal(device_name(platform, device));
}

// The paper's figures count 2^30 bits.
double gibibits(BytesPerSecond speed) { return speed.value() * 8 / 0x1p30; }

bool is_copy(const Job& job) { return job.kind != collective::Kind::all_gather; }

// The device that sends each unit task, -1 if it need not move; its first job decides.
std::vector<int> senders(const ReshardingRun& run) {
  std::vector<int> result(run.units.tasks.size(), -1);
  for (const Job& job : run.plan.jobs) {
    if (job.task < 0 || !is_copy(job)) continue;
    int& sender = nth(result, job.task);
    if (sender < 0) sender = job.devices.front();
  }
  return result;
}

// Three significant digits without an exponent: "9.53", "1370".
std::string times(double number) {
  if (number < 1000) return fmt::format("{:.3g}", number);
  const double unit = std::pow(10, std::floor(std::log10(number)) - 2);
  return fmt::format("{:.0f}", std::round(number / unit) * unit);
}

// How far the time is from its bound, which knows bandwidths only: small tensors, which latencies decide, are far.
std::string bound_in_words(const ReshardingRun& run) {
  const std::optional<double> gap = run.gap();
  if (!gap) return "none, since no link limits what moves";
  return format(run.lower_bound) + (*gap < 9 ? fmt::format(", gap {:.3g} %", 100 * *gap)
                                             : fmt::format(", without latencies; {} times as long", times(1 + *gap)));
}

// Unit tasks by the start of their first job.
std::vector<int> starting_order(const ReshardingRun& run) {
  std::map<int, Seconds> first;
  for (size_t i = 0; i < run.plan.jobs.size(); ++i) {
    const int task = run.plan.jobs[i].task;
    if (task < 0) continue;
    const auto [known, added] = first.emplace(task, run.jobs[i].start);
    if (!added) known->second = std::min(known->second, run.jobs[i].start);
  }
  std::vector<int> order;
  for (const auto& [task, start] : first) order.push_back(task);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return first.at(a) < first.at(b); });
  return order;
}

struct LinkBytes {
  int link;
  Bytes bytes;
};

std::vector<LinkBytes> used_links(const ReshardingRun& run) {
  std::vector<LinkBytes> used;
  for (size_t i = 0; i < run.timeline.links.size(); ++i) {
    if (run.timeline.links[i].bytes > Bytes(0)) used.push_back({static_cast<int>(i), run.timeline.links[i].bytes});
  }
  return used;
}

std::string kind_of(const platform::Platform& platform, int link) {
  const std::string& kind = platform.links().like(static_cast<size_t>(link)).kind;
  return kind.empty() ? "link" : kind;
}

struct OfKind {
  int links = 0;
  Bytes all, most;
};

std::map<std::string, OfKind> by_link_kind(const ReshardingRun& run, const platform::Platform& platform) {
  std::map<std::string, OfKind> kinds;
  for (const LinkBytes& used : used_links(run)) {
    OfKind& kind = kinds[kind_of(platform, used.link)];
    ++kind.links;
    kind.all += used.bytes;
    kind.most = std::max(kind.most, used.bytes);
  }
  return kinds;
}

// "node0-gpu1 -> node2-gpu0, node2-gpu1" or "among node2-gpu0, ..."; long lists are cut.
std::string devices_in_words(const Job& job, const platform::Platform& platform) {
  constexpr size_t kMost = 3;
  std::string words;
  const size_t first = is_copy(job) ? 1 : 0;
  for (size_t i = first; i < std::min(job.devices.size(), first + kMost); ++i)
    words += (i > first ? ", " : "") + shown(platform, job.devices[i]);
  if (job.devices.size() > first + kMost) words += fmt::format(" and {} more", job.devices.size() - first - kMost);
  return is_copy(job) ? shown(platform, job.devices.front()) + " -> " + words : "among " + words;
}

std::string table_of_jobs(const ReshardingRun& run, const platform::Platform& platform) {
  std::string text =
      fmt::format("{:>5}  {:<10}  {:>9}  {:>9}  {:>9}  {}\n", "task", "kind", "bytes", "start", "end", "devices");
  const auto& jobs = run.plan.jobs;
  for (size_t i = 0; i < std::min(jobs.size(), kMostTurns); ++i) {
    const std::string task = jobs[i].task < 0 ? "-" : std::to_string(jobs[i].task);
    text += fmt::format("{:>5}  {:<10}  {:>9}  {:>9}  {:>9}  {}\n", task, collective::name(jobs[i].kind),
                        format(jobs[i].bytes), format(run.jobs[i].start), format(run.jobs[i].end),
                        devices_in_words(jobs[i], platform));
  }
  if (jobs.size() > kMostTurns)
    text += fmt::format("{:>5}  {} more, which --json has\n", "...", jobs.size() - kMostTurns);
  return text;
}

std::string table_of_links(const ReshardingRun& run, const platform::Platform& platform) {
  std::string text;
  for (const auto& [kind, carried] : by_link_kind(run, platform)) {
    text += fmt::format("  {:<7} {} over {} links, at most {}\n", escape::terminal(kind), format(carried.all),
                        carried.links, format(carried.most));
  }
  std::vector<LinkBytes> cards;
  for (const LinkBytes& used : used_links(run)) {
    if (platform::is_card(kind_of(platform, used.link))) cards.push_back(used);
  }
  for (size_t i = 0; i < std::min(cards.size(), kMostCards); ++i) {
    text += fmt::format("  {:<28} {}\n", escape::terminal(nth(platform.links(), cards[i].link).name),
                        format(cards[i].bytes));
  }
  if (cards.size() > kMostCards)
    text += fmt::format("  and {} more cards, which --json has\n", cards.size() - kMostCards);
  return text;
}

std::string in_words(const reshard::Move& move) {
  std::string shape;
  for (const int64_t extent : move.tensor.shape) shape += (shape.empty() ? "" : "x") + std::to_string(extent);
  return fmt::format("{} of {} B: {} on {} -> {} on {}", shape, move.tensor.element.value(), print(move.from.spec),
                     reshard::print(move.from.mesh.shape), print(move.to.spec), reshard::print(move.to.mesh.shape));
}

// "load_balance", and what is known of its order.
std::string balance_in_words(const ReshardingRun& run, const ReshardQuestion& question) {
  if (!question.strategy->balanced) return "";
  const auto& plan = run.plan;
  if (plan.proven) return fmt::format(", balance {}: no order of this strategy is better", question.balance->name);
  if (plan.bound <= Seconds(0)) return fmt::format(", balance {}", question.balance->name);
  return fmt::format(", balance {}: at most {:.3g} % from the best order", question.balance->name,
                     100 * (plan.expected / plan.bound - 1));
}

}  // namespace

std::string describe(const ReshardingRun& run, const ReshardQuestion& question, const platform::Platform& platform) {
  std::string text;
  for (const reshard::Move& move : run.units.moves) text += in_words(move) + "\n";
  text += fmt::format("on {}, strategy {}{}\n", escape::terminal(platform.name()), question.strategy->name,
                      balance_in_words(run, question));
  for (const std::string& note : question.notes) text += note + "\n";
  text += "\n";
  text += fmt::format("time                 {}\n", format(run.time));
  text += fmt::format("effective bandwidth  {:.4g} Gb/s of 2^30 bits, {}\n", gibibits(run.effective_bandwidth()),
                      format(run.effective_bandwidth()));
  if (question.strategy->moves_data) text += fmt::format("lower bound          {}\n", bound_in_words(run));
  text += fmt::format("unit tasks           {}\n", run.units.tasks.size());
  text += fmt::format("{:<20} {}, at least {}\n\n", run.ports.hosts_are_devices ? "between devices" : "between hosts",
                      format(run.crossing), format(reshard::least_crossing(run.units, run.ports)));
  text += table_of_jobs(run, platform) + "\n";
  text += report::draw_text(port_rows(run, platform), run.time, kGanttColumns);
  return text + "\n" + table_of_links(run, platform);
}

Json to_json(const ReshardingRun& run, const ReshardQuestion& question, const platform::Platform& platform) {
  Json json = Json::object();
  json.set("strategy", std::string(question.strategy->name));
  if (question.strategy->balanced) json.set("balance", std::string(question.balance->name));
  json.set("engine", question.engine).set("bytes", whole_bytes(run.size)).set("time_s", run.time.value());
  json.set("effective_bandwidth_bytes_per_s", run.effective_bandwidth().value());
  json.set("effective_bandwidth_gibit_per_s", gibibits(run.effective_bandwidth()));
  json.set("lower_bound_s", run.lower_bound.value());
  if (question.strategy->moves_data) json.set("gap", run.gap() ? Json(*run.gap()) : Json());
  json.set("unit_tasks", run.units.tasks.size()).set("bytes_crossing", whole_bytes(run.crossing));
  json.set("least_bytes_crossing", whole_bytes(reshard::least_crossing(run.units, run.ports)));
  if (question.strategy->balanced) {
    json.set("expected_s", run.plan.expected.value()).set("order_bound_s", run.plan.bound.value());
    json.set("order_proven", run.plan.proven);
  }
  Json from = Json::array(), order = Json::array(), jobs = Json::array(), kinds = Json::array(), links = Json::array();
  for (const int sender : senders(run)) from.push(sender < 0 ? Json() : Json(device_name(platform, sender)));
  for (const int task : starting_order(run)) order.push(task);
  for (size_t i = 0; i < run.plan.jobs.size(); ++i) {
    const Job& job = run.plan.jobs[i];
    Json devices   = Json::array();
    for (const int device : job.devices) devices.push(device_name(platform, device));
    jobs.push(Json::object()
                  .set("task", job.task < 0 ? Json() : Json(job.task))
                  .set("kind", std::string(collective::name(job.kind)))
                  .set("devices", devices)
                  .set("bytes", whole_bytes(job.bytes))
                  .set("start_s", run.jobs[i].start.value())
                  .set("end_s", run.jobs[i].end.value()));
  }
  for (const auto& [kind, carried] : by_link_kind(run, platform)) {
    kinds.push(Json::object()
                   .set("kind", kind)
                   .set("links", carried.links)
                   .set("bytes", whole_bytes(carried.all))
                   .set("most_bytes", whole_bytes(carried.most)));
  }
  for (const LinkBytes& used : used_links(run)) {
    links.push(Json::object()
                   .set("name", nth(platform.links(), used.link).name)
                   .set("kind", kind_of(platform, used.link))
                   .set("bytes", whole_bytes(used.bytes)));
  }
  return json.set("senders", from).set("order", order).set("jobs", jobs).set("link_kinds", kinds).set("links", links);
}

std::vector<report::GanttRow> port_rows(const ReshardingRun& run, const platform::Platform& platform) {
  const bool crosses = run.crossing > Bytes(0) || run.ports.inside == nullptr;
  const auto& ports  = crosses ? run.ports : *run.ports.inside;
  std::map<std::pair<int, bool>, report::GanttRow> rows;  // port, whether it receives
  const auto add = [&](int port, bool receives, const report::Bar& bar) {
    report::GanttRow& row = rows[{port, receives}];
    row.name              = nth(ports.ports, port).name + (receives ? " in" : " out");
    row.bars.push_back(bar);
  };
  for (size_t i = 0; i < run.plan.jobs.size(); ++i) {
    const Job& job = run.plan.jobs[i];
    const auto title =
        fmt::format("{} of {}{}, {}", collective::name(job.kind), format(job.bytes),
                    job.task < 0 ? "" : fmt::format(", unit task {}", job.task), devices_in_words(job, platform));
    const report::Bar bar{run.jobs[i].start, run.jobs[i].end, job.task < 0 ? static_cast<int>(i) : job.task, title};
    std::set<int> hosts = {ports.host(job.devices.front())};
    for (const int device : job.devices) {
      if (hosts.insert(ports.host(device)).second) add(ports.port(device), true, bar);
    }
    if (hosts.size() == 1) continue;
    add(ports.port(job.devices.front()), is_copy(job) ? false : true, bar);
  }
  std::vector<report::GanttRow> result;
  for (auto& [key, row] : rows) {
    std::stable_sort(row.bars.begin(), row.bars.end(),
                     [](const report::Bar& a, const report::Bar& b) { return a.start < b.start; });
    result.push_back(std::move(row));
  }
  return result;
}

}  // namespace foreflow::cli
