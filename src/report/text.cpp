// The summary that a person reads in a terminal: at most about forty lines of a hundred columns.
#include <fmt/core.h>

#include <algorithm>

#include "foreflow/base/escape.h"
#include "foreflow/report/memory.h"
#include "foreflow/report/writer.h"
#include "report/device_names.h"
#include "report/digest.h"
#include "report/words.h"

namespace foreflow::report {
namespace {

constexpr int kWidth          = 100;
constexpr int kBar            = 24;
constexpr size_t kFamilies    = 9;
constexpr size_t kGroups      = 8;
constexpr size_t kLinks       = 5;
constexpr size_t kPathEntries = 5;
constexpr size_t kCollectives = 5;
constexpr size_t kNames       = 4;

// Keeps `text`, written for a terminal, within `width` cells.
std::string clipped(std::string_view of, int width) {
  std::string text = escape::terminal(of);
  if (cells(text) <= width) return text;
  size_t end = 0;
  for (int left = width - 1; left >= 0 && end < text.size(); ++end) {
    if ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) continue;
    if (left-- == 0) break;
  }
  return text.substr(0, end) + "…";
}

std::string padded(std::string_view of, int width) {
  const std::string text = clipped(of, width);
  return text + std::string(static_cast<size_t>(width - cells(text)), ' ');
}

// "70.55 billion", "816 thousand", "3,200".
std::string so_many(double number) {
  constexpr std::pair<double, std::string_view> kWords[] = {
      {1e12, "trillion"}, {1e9, "billion"}, {1e6, "million"}, {1e5, "thousand"}};
  for (const auto& [unit, word] : kWords) {
    if (number >= unit) return fmt::format("{:.4g} {}", number / (unit < 1e6 ? 1e3 : unit), word);
  }
  return count(static_cast<int64_t>(number));
}

std::string headline(const Summary& summary) {
  const Job& job     = summary.job;
  constexpr int kHow = kWidth / 2;
  const std::string how =
      clipped(fmt::format("{} · {} · {} engine", job.training ? "training" : "inference", job.dtype, job.engine), kHow);
  const std::string_view what = summary.jobs.empty() ? "iteration" : "all jobs";
  std::string out =
      fmt::format("{}{}\n\n", padded(clipped(job.name, kWidth - cells(how) - 1), kWidth - cells(how)), how);
  if (job.parameters > 0 && summary.jobs.empty())
    out += fmt::format("  {:<12}{:<16}{:<12}{} an iteration\n", "parameters", so_many(job.parameters), "work",
                       format(job.model_flops));
  out += fmt::format("  {:<12}{:<16}", what, format(summary.iteration_time));
  const std::string samples = number(summary.samples_per_second) + " samples/s";
  out += fmt::format("{:<12}{:<{}}", "throughput", samples, job.tokens > 0 ? 22 : 0);
  if (job.tokens > 0) out += number(summary.tokens_per_second_per_device) + " tokens/s per device";
  out += fmt::format("\n  {:<12}{:<16}", "MFU", percent(summary.mfu));
  out += fmt::format("{:<12}{} per device", "model", format(summary.model_rate));
  // Ranks of tensor parallelism repeat what is not split, of which there is always a little; experts have places that
  // no token takes.
  if (job.hardware_flops > 1.02 * job.model_flops) out += fmt::format(", {} executed", format(summary.hardware_rate));
  out +=
      fmt::format("\n  {:<12}{} on {}\n", "devices", count(summary.device_count), escape::terminal(summary.platform));
  if (!summary.jobs.empty()) return out;
  constexpr int kIndent   = 14;
  const std::string where = where_ranks_sit(summary, 0, job.placement, kWidth - kIndent);
  return out + fmt::format("  {:<12}{}\n", "placement", clipped(where, kWidth - kIndent));
}

std::string jobs(const Summary& summary) {
  if (summary.jobs.empty()) return "";
  constexpr int kIndent = 61;
  std::string out       = fmt::format("\n{:<18}{:>9}{:>10}{:>11}{:>10}   {}\n", "Jobs", "start", "alone", "together",
                                      "slowdown", "placement");
  for (size_t j = 0; j < summary.jobs.size(); ++j) {
    const auto [name, start, alone, together, slowdown] = columns_of(summary.jobs[j]);
    const std::string where = where_ranks_sit(summary, j, summary.jobs[j].job.placement, kWidth - kIndent);
    out += fmt::format("  {}{:>9}{:>10}{:>11}{:>10}   {}\n", padded(name, 16), start, alone, together, slowdown,
                       clipped(where, kWidth - kIndent));
  }
  return out;
}

std::string op_list(const Summary& summary, const FamilyTime& family) {
  std::string out;
  for (const OpTime* op : family.ops) {
    if (!out.empty()) out += ", ";
    out += plain_name(op->name);
    if (family.ops.size() > 1) out += fmt::format(" {:.0f} %", 100 * share_of_iteration(summary, op->seconds));
    if (cells(out) > kWidth) break;
  }
  return out;
}

std::string where_time_goes(const Summary& summary) {
  std::string out = "\nWhere the time goes, on the average device\n";
  const auto row  = [&](std::string_view name, Seconds seconds, const std::string& detail) {
    const double part = share_of_iteration(summary, seconds);
    const std::string line =
        fmt::format("  {:<17}{} {:>7}  {:>9}   {}", name, bar(part, kBar, " "), percent(part), format(seconds), detail);
    const std::string kept = clipped(line, kWidth);
    out += kept.substr(0, kept.find_last_not_of(' ') + 1) + "\n";
  };
  const std::vector<FamilyTime> families = time_by_family(summary);
  Seconds rest;
  for (size_t i = 0; i < families.size(); ++i) {
    if (i < kFamilies) {
      row(families[i].name, families[i].seconds, op_list(summary, families[i]));
    } else {
      rest += families[i].seconds;
    }
  }
  if (rest > Seconds(0)) row("other", rest, "");
  const Averages average = averages(summary);
  if (average.host > Seconds(0)) row("host", average.host, "the device waits until something is issued");
  row("idle", average.idle - (average.host - average.host_inside), "");
  if (average.hidden > 0.0005)
    out += fmt::format("  {} of the communication is hidden behind compute\n", percent(average.hidden));
  return out;
}

std::string devices(const Summary& summary) {
  std::string out =
      fmt::format("\n{:<26}{:>8}{:>9}{:>9}{:>9}   {}\n", "Devices", "busy", "compute", "comm", "idle", "peak memory");
  const std::vector<DeviceGroup> groups = equal_devices(summary);
  for (size_t i = 0; i < std::min(groups.size(), kGroups); ++i) {
    const DeviceSummary& device = *groups[i].first;
    const double full           = device.capacity > Bytes(0) ? device.peak_memory / device.capacity : 0;
    out += fmt::format(
        "  {}{:>8}{:>9}{:>9}{:>9}   {} {} of {}{}\n", padded(names_of(summary, groups[i].devices).text(2), 24),
        percent(share_of_iteration(summary, device.busy)), percent(share_of_iteration(summary, device.compute)),
        percent(share_of_iteration(summary, device.communication)), percent(share_of_iteration(summary, device.idle)),
        bar(full, 10, "░"), format(device.peak_memory), format(device.capacity), device.fits ? "" : "  too much");
  }
  int64_t more = 0;
  for (size_t i = kGroups; i < groups.size(); ++i) {
    for (const size_t device : groups[i].devices) more += summary.devices[device].count();
  }
  if (more > 0) out += fmt::format("  … and {} more\n", count(more));
  return out;
}

// The live buffers of the fullest devices at their peak.
std::string memory(const Summary& summary, const std::vector<MemoryPeak>& peaks) {
  const MemoryPeak* fullest = fullest_peak(summary, peaks);
  if (fullest == nullptr) return "";
  const std::vector<size_t> devices(fullest->devices.begin(), fullest->devices.end());
  std::string out =
      fmt::format("\nMemory of {} at its peak, from {} to {}\n", escape::terminal(names_of(summary, devices).text(2)),
                  format(fullest->time), format(fullest->until));
  for (size_t i = 0; i < fullest->classes.size(); ++i) {
    const auto kind = static_cast<stream::MemoryClass>(i);
    if (fullest->classes[i] <= Bytes(0)) continue;
    const double part = fullest->classes[i] / fullest->size;
    out += clipped(fmt::format("  {:<17}{} {:>7}  {:>9}   {}", words_of(kind), bar(part, kBar, " "), percent(part),
                               format(fullest->classes[i]), largest(*fullest, kind, kNames)),
                   kWidth) +
           "\n";
  }
  if (fullest->host > Bytes(0))
    out += fmt::format("  up to {} more in the memory of the host\n", format(fullest->host));
  if (fullest->allocator) {
    const AllocatorUse& use = *fullest->allocator;
    out += fmt::format("  a caching allocator reserves {}, {} more than is asked for at most\n", format(use.reserved),
                       percent(use.overhead() / use.requested));
  }
  return out;
}

std::string collectives(const Summary& summary) {
  if (summary.collectives.empty()) return "";
  std::string out = fmt::format("\n{:<33}{:>9}{:>12}{:>13}{:>13}{:>11}{:>9}\n", "Communication", "times", "each",
                                "algbw", "busbw", "contention", "waiting");
  for (size_t i = 0; i < std::min(summary.collectives.size(), kCollectives); ++i) {
    const CollectiveSummary& row                                      = summary.collectives[i];
    const auto [what, times, each, algbw, busbw, contention, waiting] = columns_of(row);
    out += fmt::format("  {}{:>9}{:>12}{:>13}{:>13}{:>11}{:>9}\n", padded(what, 31), times, each, algbw, busbw,
                       contention, waiting);
    if (row.by_library) out.insert(out.size() - 1, "  " + row.algorithm);
  }
  return out;
}

std::string sharing(const LinkSharing& shared) {
  const std::string who = shared.first == shared.second
                              ? "by several " + std::string(plain_name(shared.first))
                              : fmt::format("by {} and {}", plain_name(shared.first), plain_name(shared.second));
  return fmt::format("{} for {}", who, format(shared.seconds));
}

std::string links(const Summary& summary) {
  const std::vector<LinkGroup> groups = busiest_links(summary);
  if (groups.empty()) return "";
  std::string out = "\nBusiest links\n";
  for (size_t i = 0; i < std::min(groups.size(), kLinks); ++i) {
    const LinkSummary& link  = *groups[i].first;
    const std::string others = groups[i].count == 1 ? "" : fmt::format(" and {} like it", count(groups[i].count - 1));
    out += fmt::format("  {} {} {:>7}  {:>9}  {}\n", padded(clipped(link.name, 48 - cells(others)) + others, 48),
                       bar(link.utilization, 13, "░"), percent(link.utilization), format(link.bytes),
                       escape::terminal(link.kind));
    out.erase(out.find_last_not_of(" \n") + 1);
    out += '\n';
    if (!link.shared.empty()) out += clipped("    shared " + sharing(link.shared.front()), kWidth) + "\n";
  }
  return out;
}

// Returns a line for each thing that a platform file leaves open, or asks for in vain.
std::string notes(std::string_view head, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += fmt::format("\n{}: {}\n", head, escape::terminal(line));
  return text;
}

// Says what makes more of the arithmetic of the model than the devices could execute; "" where MFU is at most 100 %.
std::string why_above_peak(const Summary& summary) {
  if (summary.mfu < 1.0005) return "";  // shown as 100.0 %
  const bool fused = std::any_of(summary.ops.begin(), summary.ops.end(),
                                 [](const OpTime& time) { return time.family == "attention"; });
  return notes("MFU above 100 %",
               {fused ? "it counts pairs of attention that a mask hides and fused attention skips"
                      : "computes are priced at less time than the peak of " + summary.job.dtype + " allows"});
}

std::string why_overloaded(const Summary& summary) {
  const auto needed = needed_by_links(summary);
  if (!needed) return "";
  return notes("Links above 100 %", {"the busiest link needs at least " + format(*needed) +
                                     " for its traffic; this engine does not model contention, simgrid does"});
}

std::string idle(const Summary& summary) {
  const Idle& idle = summary.idle;
  std::string out;
  const auto line = [&](int64_t some, int64_t of, const char* what) {
    if (some > 0) out += fmt::format("  {} of {} {}\n", count(some), count(of), what);
  };
  line(idle.devices, idle.of_devices, "devices run no rank");
  line(idle.cards, idle.of_cards, "network cards serve no device: each uses the card that is nearest to it");
  line(idle.links, idle.of_links, "links between servers carry no message, each direction counted");
  return out.empty() ? "" : "\nIdle\n" + out;
}

std::string path(const Summary& summary) {
  const std::vector<PathShare> shares = path_shares(summary);
  if (shares.empty()) return "";
  std::string out = "\nCritical path\n";
  for (size_t i = 0; i < std::min(shares.size(), kPathEntries); ++i) {
    out += fmt::format("  {:>7}  {:>9}  {:>7}  {}  on {}\n", percent(share_of_iteration(summary, shares[i].seconds)),
                       format(shares[i].seconds), count(shares[i].count) + " x",
                       padded(std::string(plain_name(shares[i].what)), 28),
                       clipped(name_ranges(shares[i].streams, 2), 34));
  }
  return out;
}

// "table 60.0 %, roofline 40.0 %"; "" where there are no shares.
std::string words_of_shares(const Json& shares) {
  std::string words;
  if (shares.if_object() == nullptr) return words;
  for (const auto& [source, part] : *shares.if_object()) {
    const double value = part.if_double() != nullptr ? *part.if_double()
                         : part.if_int() != nullptr  ? static_cast<double>(*part.if_int())
                                                     : 0;
    if (value > 0) words += fmt::format("{}{} {}", words.empty() ? "" : ", ", escape::terminal(source), percent(value));
  }
  return words;
}

// Messages are simulated, unless a cost model knows their times.
std::string where_times_come_from(const Summary& summary) {
  const std::string computes = words_of_shares(summary.job.cost_provenance);
  const bool priced_messages = std::any_of(summary.collectives.begin(), summary.collectives.end(),
                                           [](const CollectiveSummary& one) { return one.provenance != "simulated"; });
  return (computes.empty() ? "" : "; compute priced by " + computes) +
         (priced_messages ? "; messages by " + words_of_shares(message_provenance(summary)) : "");
}

std::string footer(const Summary& summary) {
  std::string out = fmt::format("\n{} executions of {} pieces of work{}", count(summary.events.executed),
                                count(summary.events.distinct), where_times_come_from(summary));
  if (summary.interval.high > summary.interval.low)
    out += fmt::format("; nine of ten runs take {} to {}", format(summary.interval.low), format(summary.interval.high));
  return out + (summary.fits ? "; fits in memory\n" : "; DOES NOT FIT in memory\n");
}

std::string write_text(const Summary& summary, const stream::Program& program, const stream::Timeline& timeline,
                       const platform::Platform&) {
  return headline(summary) + jobs(summary) + where_time_goes(summary) + devices(summary) +
         memory(summary, memory_peaks(summary, program, timeline, PeaksOf::fullest)) + collectives(summary) +
         links(summary) + idle(summary) + notes("assumed", summary.assumed) + notes("not honoured", summary.ignored) +
         why_above_peak(summary) + why_overloaded(summary) + path(summary) + footer(summary);
}

}  // namespace

namespace definitions::text {
WriterDef row() { return {"text", "the summary, for a terminal", write_text}; }
}  // namespace definitions::text

}  // namespace foreflow::report
