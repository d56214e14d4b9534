// Chrome trace JSON, for ui.perfetto.dev: a process per device, a thread per stream, a slice per item with the parts of
// composites nested in it, arrows for messages, counters for the memory of devices and the use of links.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "foreflow/base/nth.h"
#include "foreflow/report/memory.h"
#include "foreflow/report/writer.h"
#include "report/family.h"
#include "report/link_load.h"
#include "report/memory_curve.h"
#include "report/text_size.h"
#include "report/words.h"

namespace foreflow::report {
namespace {

constexpr size_t kLinkCounters = 16;
constexpr int kLinkProcess     = 1000000;  // above the numbers of all devices

// Whole nanoseconds, so that rounding never lets a part stick out of its slice.
int64_t nanoseconds(Seconds time) { return std::llround(time.value() * 1e9); }

std::string quoted(std::string_view text) { return Json(text).dump_compact(); }

class Events {
 public:
  explicit Events(std::string room) : out_(std::move(room)) {}

  template <class... Arguments>
  void add(fmt::format_string<Arguments...> form, Arguments&&... arguments) {
    out_ += out_.empty() ? "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" : ",\n";
    fmt::format_to(std::back_inserter(out_), form, std::forward<Arguments>(arguments)...);
  }

  // Times in microseconds with exactly three digits after the point.
  static std::string time(int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

  // `head` is the part of the slice that does not depend on the time.
  void slice(std::string_view head, int process, size_t thread, int64_t start, int64_t end) {
    add("{{{},\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{}}}", head, process, thread, time(start),
        time(end - start));
  }

  std::string take() { return std::move(out_ += "\n]}\n"); }

 private:
  std::string out_;
};

// The part that all slices of one event have in common.
struct ComputeHead {
  std::string whole;
  std::vector<std::string> parts;  // empty when the event has a single part
};

std::vector<ComputeHead> compute_heads(const stream::Program& program) {
  std::vector<ComputeHead> heads;
  for (const stream::Compute& compute : program.computes) {
    ComputeHead head;
    head.whole = fmt::format("\"name\":{},\"cat\":{},\"args\":{{\"flops\":{}}}", quoted(plain_name(compute.name)),
                             quoted(phase_of(compute).name), compute.flops.value());
    if (compute.parts.size() > 1) {
      for (const stream::Part& part : compute.parts) {
        head.parts.push_back(
            fmt::format("\"name\":{},\"cat\":{}", quoted(part.name), quoted(family_of_op(part.name).name)));
      }
    }
    heads.push_back(std::move(head));
  }
  return heads;
}

std::vector<std::string> communication_heads(const stream::Program& program) {
  std::vector<std::string> heads;
  for (const stream::Communication& communication : program.communications) {
    heads.push_back(fmt::format("\"name\":{},\"cat\":{},\"args\":{{\"bytes\":{}}}", quoted(communication.name),
                                quoted(family_of(communication).name), communication.bytes.value()));
  }
  return heads;
}

// The process of a device: its number, or its index where several jobs have devices of equal numbers.
int process_of(const stream::Program& program, int device) {
  return program.jobs.empty() ? nth(program.devices, device).index : device + 1;
}

void name_rows(Events& events, const stream::Program& program, const platform::Platform& platform) {
  for (size_t d = 0; d < program.devices.size(); ++d) {
    const stream::DeviceUse& device = program.devices[d];
    const std::string& place        = nth(platform.devices(), device.place).name;
    const int pid                   = process_of(program, static_cast<int>(d));
    events.add("{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":{},\"args\":{{\"name\":{}}}}}", pid,
               quoted(fmt::format("{} ({})", name(program, device), place)));
    events.add("{{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":{},\"args\":{{\"sort_index\":{}}}}}", pid, pid);
  }
  for (size_t s = 0; s < program.streams.size(); ++s) {
    const int pid = process_of(program, program.streams[s].device);
    events.add("{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":{}}}}}", pid, s,
               quoted(program.streams[s].name));
  }
}

// The sender's end of a message leaves at its start; the receiver's arrives in the middle, which is inside its slice.
void add_arrow(Events& events, const stream::Program& program, const stream::Item& item, size_t stream, int process,
               int64_t start, int64_t end) {
  const stream::Instance& instance = nth(program.instances, item.instance);
  if (nth(program.communications, item.event).kind != collective::Kind::send || instance.members.size() != 2) return;
  const bool sender = static_cast<size_t>(instance.members[0]) == stream;
  events.add("{{\"name\":\"message\",\"cat\":\"message\",\"ph\":\"{}\",\"id\":{},\"pid\":{},\"tid\":{},\"ts\":{}{}}}",
             sender ? 's' : 'f', item.instance, process, stream, Events::time(sender ? start : (start + end) / 2),
             sender ? "" : ",\"bp\":\"e\"");
}

void add_slices(Events& events, const stream::Program& program, const stream::Timeline& timeline) {
  const std::vector<ComputeHead> computes       = compute_heads(program);
  const std::vector<std::string> communications = communication_heads(program);
  for (size_t s = 0; s < program.streams.size(); ++s) {
    const stream::Stream& stream = program.streams[s];
    const int process            = process_of(program, stream.device);
    for (size_t i = 0; i < stream.items.size(); ++i) {
      const stream::Item& item     = stream.items[i];
      const stream::Record& record = timeline.records[s][i];
      const auto event             = static_cast<size_t>(item.event);
      const int64_t start          = nanoseconds(record.start);
      const int64_t end            = nanoseconds(record.end);
      if (item.instance >= 0) {
        events.slice(communications[event], process, s, start, end);
        add_arrow(events, program, item, s, process, start, end);
        continue;
      }
      const ComputeHead& head = computes[event];
      events.slice(head.whole, process, s, start, end);
      // If the host or a slow device makes the compute longer, its parts share the addition as they share the time.
      const stream::Compute& compute = program.computes[event];
      const double longer =
          compute.duration > Seconds(0) ? std::max((record.end - record.start) / compute.duration, 1.0) : 1;
      Seconds reached = record.start;
      for (size_t p = 0; p < head.parts.size(); ++p) {
        const int64_t from = std::min(nanoseconds(reached), end);
        reached += longer * compute.parts[p].duration;
        events.slice(head.parts[p], process, s, from, std::min(nanoseconds(reached), end));
      }
    }
  }
}

// A row for the host of each device that has one, below its streams.
void add_hosts(Events& events, const stream::Program& program, const stream::Timeline& timeline) {
  for (size_t s = 0; s < timeline.issued.size(); ++s) {
    const stream::Stream& stream              = program.streams[s];
    const std::vector<stream::Issued>& issued = timeline.issued[s];
    const bool idle = std::all_of(issued.begin(), issued.end(), [](const auto& one) { return one.until == one.from; });
    if (idle) continue;
    const int process   = process_of(program, stream.device);
    const size_t thread = program.streams.size() + s;
    events.add("{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":{}}}}}", process,
               thread, quoted(stream.name + " host"));
    for (size_t i = 0; i < issued.size(); ++i) {
      if (issued[i].until == issued[i].from) continue;
      const stream::Item& item = stream.items[i];
      const auto event         = static_cast<size_t>(item.event);
      const std::string& what  = item.instance < 0 ? program.computes[event].name : program.communications[event].name;
      events.slice(fmt::format("\"name\":{},\"cat\":\"host\"", quoted("issue " + std::string(plain_name(what)))),
                   process, thread, nanoseconds(issued[i].from), nanoseconds(issued[i].until));
    }
  }
}

// Stacked by memory class.
void add_class_counters(Events& events, const stream::Program& program, const stream::Timeline& timeline, int device) {
  for (const ClassPoint& point : memory_by_class(program, timeline, device)) {
    std::string values;
    for (size_t kind = 0; kind < point.classes.size(); ++kind) {
      values += fmt::format("{}\"{}\":{}", kind == 0 ? "" : ",", stream::name(static_cast<stream::MemoryClass>(kind)),
                            point.classes[kind].value());
    }
    events.add("{{\"name\":\"memory\",\"ph\":\"C\",\"pid\":{},\"ts\":{},\"args\":{{{}}}}}", process_of(program, device),
               Events::time(nanoseconds(point.time)), values);
  }
}

void add_counters(Events& events, const Summary& summary, const stream::Program& program,
                  const stream::Timeline& timeline, const platform::Platform& platform) {
  const std::vector<std::vector<size_t>> streams = streams_by_device(program);
  for (size_t d = 0; d < program.devices.size(); ++d) {
    const int process = process_of(program, static_cast<int>(d));
    if (program.devices[d].storage != nullptr) {
      add_class_counters(events, program, timeline, static_cast<int>(d));
      continue;
    }
    for (const MemoryPoint& point : memory_curve(program, timeline, static_cast<int>(d), streams[d]).points) {
      events.add("{{\"name\":\"memory\",\"ph\":\"C\",\"pid\":{},\"ts\":{},\"args\":{{\"bytes\":{}}}}}", process,
                 Events::time(nanoseconds(point.time)), point.level.value());
    }
  }
  const std::vector<LinkLoad> loads = link_loads(summary, program, timeline, platform, kLinkCounters);
  if (loads.empty()) return;
  events.add("{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":{},\"args\":{{\"name\":\"busiest links\"}}}}",
             kLinkProcess);
  events.add("{{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":{},\"args\":{{\"sort_index\":{}}}}}", kLinkProcess,
             kLinkProcess);
  for (const LinkLoad& load : loads) {
    const std::string name = quoted(load.link);
    for (const LoadPoint& point : load.points) {
      events.add("{{\"name\":{},\"ph\":\"C\",\"pid\":{},\"ts\":{},\"args\":{{\"GB/s\":{}}}}}", name, kLinkProcess,
                 Events::time(nanoseconds(point.time)), point.rate.value() / 1e9);
    }
  }
}

// About what slices, arrows and the counters of memory take.
size_t trace_size(const stream::Program& program) {
  constexpr size_t kSlice = 80, kArrow = 120, kLevel = 60, kClasses = 180;  // beside the head of a slice
  std::vector<size_t> computes, communications;
  for (const ComputeHead& head : compute_heads(program)) {
    computes.push_back(head.whole.size() + kSlice);
    for (const std::string& part : head.parts) computes.back() += part.size() + kSlice;
  }
  for (const std::string& head : communication_heads(program)) communications.push_back(head.size() + kSlice + kArrow);
  size_t size = 0;
  for (const stream::Stream& stream : program.streams) {
    const bool classes = nth(program.devices, stream.device).storage != nullptr;
    for (const stream::Item& item : stream.items) {
      size += nth(item.instance < 0 ? computes : communications, item.event);
      if (item.instance < 0) size += classes ? kClasses : kLevel;
    }
  }
  return size;
}

std::string write_trace(const Summary& summary, const stream::Program& program, const stream::Timeline& timeline,
                        const platform::Platform& platform) {
  Events events(room_for_report("trace", program, trace_size(program)));
  name_rows(events, program, platform);
  add_slices(events, program, timeline);
  add_hosts(events, program, timeline);
  add_counters(events, summary, program, timeline, platform);
  return events.take();
}

}  // namespace

namespace definitions::trace {
WriterDef row() {
  return {"trace",     "Chrome trace JSON for ui.perfetto.dev",
          write_trace, "write a Chrome trace, for ui.perfetto.dev",
          0,           write_trace,
          true};
}
}  // namespace definitions::trace

}  // namespace foreflow::report
