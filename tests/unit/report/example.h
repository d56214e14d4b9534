// Two devices of one iteration that can be followed by hand, in seconds:
//
//   D1  forward 0-2 | Send 2-3 |                 | MPIAllreduce 7-8
//   D2              | Send 2-3 | backward 3-7    | MPIAllreduce 7-8
#pragma once

#include "foreflow/report/summary.h"

namespace foreflow::report::test {

struct Example {
  Job job;
  platform::Platform platform;
  stream::Program program;
  stream::Timeline timeline;

  Summary summary() const { return summarise(job, program, timeline, platform); }
};

inline platform::Platform two_devices() {
  const std::map<std::string, FlopsPerSecond> peaks = {{"f16", FlopsPerSecond(100)}};
  std::vector<platform::Device> devices;
  for (const char* name : {"gpu0", "gpu1"}) {
    devices.push_back({name, "test", "node0", Bytes(100), BytesPerSecond(1000), peaks, Seconds(0)});
  }
  const platform::Link up   = {"wire_UP", "nic", BytesPerSecond(20), Seconds(0)};
  const platform::Link down = {"wire_DOWN", "nic", BytesPerSecond(20), Seconds(0)};
  const platform::Route none{{}, Seconds(0)};
  return platform::Platform("pair", devices, {up, down}, {none, {{0}, Seconds(0)}, {{1}, Seconds(0)}, none});
}

inline stream::Program example_program() {
  stream::Program program;
  program.computes = {
      {"@stage1_forward", Seconds(2), Flops(200), {{"MatMul", Seconds(1.5)}, {"Relu", Seconds(0.5)}}},
      {"@stage2_backward", Seconds(4), Flops(400), {{"MatMul", Seconds(4)}}},
  };
  program.communications = {
      {"Send", collective::Kind::send, &collective::default_algorithm(collective::Kind::send), Bytes(16)},
      {"MPIAllreduce", collective::Kind::all_reduce, &collective::default_algorithm(collective::Kind::all_reduce),
       Bytes(8)},
  };
  program.memory_effects = {{Bytes(0), Bytes(0)}, {Bytes(30), Bytes(20)}, {Bytes(0), Bytes(-20)}};
  program.instances      = {{0, {0, 1}}, {1, {0, 1}}};
  program.devices        = {{1, 0, Bytes(10)}, {2, 1, Bytes(90)}};
  program.streams        = {
             {"D1", 0, {{0, -1, 1}, {0, 0, 2}, {1, 1, 0}}},
             {"D2", 1, {{0, 0, 0}, {1, -1, 1}, {1, 1, 2}}},
  };
  return program;
}

inline stream::Timeline example_timeline() {
  const stream::Record send = {Seconds(2), Seconds(3)}, reduce = {Seconds(7), Seconds(8)};
  return {Seconds(8),
          {{{Seconds(0), Seconds(2)}, send, reduce}, {send, {Seconds(3), Seconds(7)}, reduce}},
          {{Bytes(24), Seconds(2)}, {Bytes(8), Seconds(1)}},
          {{0, 0, 0, Seconds(2), Seconds(3), Seconds(0.8)}, {1, 0, 1, Seconds(7), Seconds(8), Seconds(1)}},
          {{{0, 1.0}}, {{0, 1.0}, {1, 1.0}}}};
}

inline Example example() {
  Job job;
  job.name           = "two \"stages\"";
  job.engine         = "analytic";
  job.samples        = 4;
  job.tokens         = 32;
  job.model_flops    = Flops(400);
  job.hardware_flops = Flops(600);
  job.dtype          = "f16";
  job.scenario_echo.set("name", job.name);
  job.cost_provenance.set("roofline", 1.0);
  return {job, two_devices(), example_program(), example_timeline()};
}

}  // namespace foreflow::report::test
