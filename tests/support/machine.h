// Small platforms and programs, built by hand for the tests of the engines.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "foreflow/platform/platform.h"
#include "foreflow/stream/program.h"

namespace foreflow::test {

// A platform whose links and routes are added one by one.
class Wiring {
 public:
  explicit Wiring(int devices) : devices_(devices), routes_(static_cast<size_t>(devices * devices)) {}

  int link(BytesPerSecond bandwidth, Seconds latency = Seconds(0)) {
    const int index = static_cast<int>(links_.size());
    links_.push_back({"link" + std::to_string(index), "", bandwidth, latency});
    return index;
  }

  Wiring& route(int from, int to, std::vector<int> links) {
    const int place        = from * devices_ + to;
    platform::Route& route = routes_.at(static_cast<size_t>(place));
    route.latency          = Seconds(0);
    for (const int link : links) route.latency += links_.at(static_cast<size_t>(link)).latency;
    route.links = std::move(links);
    return *this;
  }

  platform::Platform platform() const {
    std::vector<platform::Device> devices;
    for (int i = 0; i < devices_; ++i) {
      devices.push_back({"gpu" + std::to_string(i),
                         "test",
                         "node0",
                         Bytes(1e9),
                         BytesPerSecond(1e12),
                         {{"f32", FlopsPerSecond(1e12)}},
                         Seconds(0)});
    }
    return platform::Platform("wiring", devices, links_, routes_);
  }

 private:
  int devices_;
  std::vector<platform::Link> links_;
  std::vector<platform::Route> routes_;
};

// Every device has a link up (number 2i) and a link down (2i + 1), each with half of `latency`.
inline platform::Platform star(int devices, BytesPerSecond bandwidth, Seconds latency) {
  Wiring wiring(devices);
  for (int i = 0; i < 2 * devices; ++i) wiring.link(bandwidth, latency / 2);
  for (int from = 0; from < devices; ++from) {
    for (int to = 0; to < devices; ++to) {
      if (from != to) wiring.route(from, to, {2 * from, 2 * to + 1});
    }
  }
  return wiring.platform();
}

// A program, item by item in program order. Devices are placed in order on the platform's.
class ProgramWriter {
 public:
  explicit ProgramWriter(int devices) {
    program_.memory_effects.push_back({Bytes(0), Bytes(0)});
    for (int i = 0; i < devices; ++i) {
      program_.devices.push_back({i + 1, i, Bytes(0)});
      program_.streams.push_back({"D" + std::to_string(i + 1), i, {}});
    }
  }

  // A further stream of a device; returns its number. The first streams are those of the devices.
  int stream(int device) {
    program_.streams.push_back({"D" + std::to_string(device + 1) + ".comm", device, {}});
    return static_cast<int>(program_.streams.size()) - 1;
  }

  ProgramWriter& compute(int stream, Seconds duration) {
    const auto event = static_cast<int32_t>(program_.computes.size());
    program_.computes.push_back({"Work", duration, Flops(0), {{"Work", duration}}});
    program_.streams.at(static_cast<size_t>(stream)).items.push_back({event, -1, 0});
    return *this;
  }

  ProgramWriter& communicate(collective::Kind kind, const std::vector<int>& members, Bytes bytes) {
    return communicate(kind, members, bytes, std::nullopt);
  }

  ProgramWriter& communicate(collective::Kind kind, const std::vector<int>& members, Bytes bytes,
                             std::optional<Seconds> fixed) {
    const auto communication = static_cast<int32_t>(program_.communications.size());
    const std::string name   = "Do_" + std::string(collective::name(kind));
    program_.communications.push_back({name, kind, &collective::default_algorithm(kind), bytes, fixed});
    return repeat(communication, members);
  }

  // Another instance of a communication, by its number in the order of the calls of communicate().
  ProgramWriter& repeat(int32_t communication, const std::vector<int>& members) {
    const auto instance = static_cast<int32_t>(program_.instances.size());
    program_.instances.push_back({communication, std::vector<int32_t>(members.begin(), members.end())});
    for (const int member : members)
      program_.streams.at(static_cast<size_t>(member)).items.push_back({communication, instance, 0});
    return *this;
  }

  stream::Program& program() { return program_; }

 private:
  stream::Program program_;
};

}  // namespace foreflow::test
