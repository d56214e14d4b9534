// Both texts give times in seconds and sizes in bytes with nine significant digits: enough to see any real change,
// too few to see the last bit of a sum.
#include <fmt/format.h>

#include "foreflow/base/nth.h"
#include "foreflow/stream/timeline.h"

namespace foreflow::stream {
namespace {

using Text = std::back_insert_iterator<std::string>;

// Nothing where the host has nothing to do.
void print_issue(const Issue& issue, Text out) {
  if (!issue.costs()) return;
  fmt::format_to(out, "  issued in {:.9g} s", issue.all.value());
  if (issue.lag > Seconds(0))
    fmt::format_to(out, ", first kernel after {:.9g} s, last one ended after {:.9g} s", issue.first.value(),
                   issue.lag.value());
  fmt::format_to(out, "{}\n", issue.waits ? ", the host waits" : "");
}

void print_computes(const Program& program, Text out) {
  for (size_t i = 0; i < program.computes.size(); ++i) {
    const Compute& compute = program.computes[i];
    fmt::format_to(out, "compute {} {}: {:.9g} s, {:.9g} flop\n", i, compute.name, compute.duration.value(),
                   compute.flops.value());
    print_issue(compute.issue, out);
    if (compute.parts.size() < 2) continue;
    for (const Part& part : compute.parts) fmt::format_to(out, "  {}: {:.9g} s\n", part.name, part.duration.value());
  }
}

void print_communications(const Program& program, Text out) {
  for (size_t i = 0; i < program.communications.size(); ++i) {
    const Communication& communication = program.communications[i];
    fmt::format_to(out, "communication {} {}: {} by {}, {:.9g} bytes", i, communication.name,
                   collective::name(communication.kind), communication.algorithm->name, communication.bytes.value());
    if (communication.fixed) fmt::format_to(out, ", always {:.9g} s", communication.fixed->value());
    if (communication.start > Seconds(0)) fmt::format_to(out, ", starts in {:.9g} s", communication.start.value());
    fmt::format_to(out, "\n");
    print_issue(communication.issue, out);
  }
}

void print_instances(const Program& program, Text out) {
  for (size_t i = 0; i < program.instances.size(); ++i) {
    const Instance& instance = program.instances[i];
    fmt::format_to(out, "instance {}: communication {} of", i, instance.communication);
    for (const int32_t member : instance.members) fmt::format_to(out, " {}", nth(program.streams, member).name);
    fmt::format_to(out, "\n");
  }
}

// "compute 0 MatMul" or "instance 3 MPIAllreduce".
std::string label(const Program& program, const Item& item) {
  const auto event = static_cast<size_t>(item.event);
  if (item.instance < 0) return fmt::format("compute {} {}", event, program.computes[event].name);
  return fmt::format("instance {} {}", item.instance, program.communications[event].name);
}

void print_stream(const Program& program, const Stream& stream, Text out) {
  fmt::format_to(out, "stream {} on device {}\n", stream.name, stream.device);
  for (const Item& item : stream.items) {
    const MemoryEffect& memory = nth(program.memory_effects, item.memory);
    fmt::format_to(out, "  {}", label(program, item));
    if (memory.peak != Bytes(0) || memory.net != Bytes(0)) {
      fmt::format_to(out, ", memory peak {:+.9g} net {:+.9g}", memory.peak.value(), memory.net.value());
    }
    fmt::format_to(out, "\n");
  }
}

}  // namespace

std::string name(const Program& program, const DeviceUse& device) {
  const std::string own = fmt::format("D{}", device.index);
  return program.jobs.empty() ? own : nth(program.jobs, device.job) + "/" + own;
}

std::string print(const Program& program) {
  std::string text;
  const Text out(text);
  for (size_t i = 0; i < program.devices.size(); ++i) {
    const DeviceUse& device = program.devices[i];
    fmt::format_to(out, "device {}: {} at place {}, holds {:.9g} bytes\n", i, name(program, device), device.place,
                   device.initial.value());
  }
  print_computes(program, out);
  print_communications(program, out);
  print_instances(program, out);
  for (const Stream& stream : program.streams) print_stream(program, stream, out);
  return text;
}

std::string print(const Program& program, const Timeline& timeline) {
  std::string text;
  const Text out(text);
  fmt::format_to(out, "makespan {:.9g} s\n", timeline.makespan.value());
  for (size_t i = 0; i < program.streams.size(); ++i) {
    const Stream& stream = program.streams[i];
    fmt::format_to(out, "stream {}\n", stream.name);
    for (size_t k = 0; k < stream.items.size(); ++k) {
      const Record& record = timeline.records[i][k];
      fmt::format_to(out, "  {:.9g} {:.9g} {}\n", record.start.value(), record.end.value(),
                     label(program, stream.items[k]));
    }
  }
  for (size_t i = 0; i < timeline.links.size(); ++i) {
    const LinkUse& use = timeline.links[i];
    if (use.bytes > Bytes(0))
      fmt::format_to(out, "link {}: {:.9g} bytes, busy {:.9g} s\n", i, use.bytes.value(), use.busy.value());
  }
  return text;
}

}  // namespace foreflow::stream
