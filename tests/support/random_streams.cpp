#include "support/random_streams.h"

#include <algorithm>
#include <cmath>

#include "foreflow/base/nth.h"
#include "support/machine.h"

namespace foreflow::test {

using collective::Kind;

int draw(std::mt19937_64& rng, int low, int high) {
  return low + static_cast<int>(rng() % static_cast<uint64_t>(high - low + 1));
}
double draw_real(std::mt19937_64& rng, double low, double high) {
  return low + (high - low) * static_cast<double>(rng() >> 11) * 0x1p-53;
}

platform::Platform private_links(std::mt19937_64& rng, int devices) {
  Wiring wiring(devices);
  for (int from = 0; from < devices; ++from) {
    for (int to = 0; to < devices; ++to) {
      std::vector<int> path;
      for (int hops = draw(rng, 1, 3); from != to && hops > 0; --hops) {
        path.push_back(wiring.link(BytesPerSecond(draw_real(rng, 1e9, 100e9)), Seconds(draw_real(rng, 0, 5e-6))));
      }
      wiring.route(from, to, path);
    }
  }
  return wiring.platform();
}

platform::Platform shared_links(std::mt19937_64& rng, int devices) {
  Wiring wiring(devices);
  const int links = draw(rng, 2, 6);
  for (int i = 0; i < links; ++i)
    wiring.link(BytesPerSecond(draw_real(rng, 1e9, 20e9)), Seconds(draw_real(rng, 0, 5e-6)));
  for (int from = 0; from < devices; ++from) {
    for (int to = 0; to < devices; ++to) {
      std::vector<int> path;
      for (int hops = draw(rng, 1, 3); from != to && hops > 0; --hops) path.push_back(draw(rng, 0, links - 1));
      wiring.route(from, to, path);
    }
  }
  return wiring.platform();
}

std::vector<int> draw_members(std::mt19937_64& rng, std::vector<int> streams, int count) {
  std::shuffle(streams.begin(), streams.end(), rng);
  streams.resize(static_cast<size_t>(count));
  return streams;
}

Kind draw_kind(std::mt19937_64& rng) { return static_cast<Kind>(draw(rng, 0, collective::kKinds - 1)); }

stream::Program random_streams(std::mt19937_64& rng, int devices) {
  ProgramWriter writer(devices);
  std::vector<int> network;
  for (int i = 0; i < devices; ++i) network.push_back(writer.stream(i));
  for (int step = draw(rng, 5, 60); step > 0; --step) {
    const int device = draw(rng, 0, devices - 1);
    const Kind kind  = draw_kind(rng);
    switch (draw(rng, 0, 3)) {
      case 0: writer.compute(device, Seconds(draw_real(rng, 0, 1e-3))); break;
      case 1: writer.communicate(Kind::send, {device, nth(network, device)}, Bytes(1e6)); break;
      case 2:
        writer.communicate(kind, {device, nth(network, device)}, Bytes(1e6), Seconds(draw_real(rng, 0, 1e-4)));
        break;
      default:
        const int ranks = kind == Kind::send ? 2 : draw(rng, 2, devices);
        writer.communicate(kind, draw_members(rng, network, ranks), Bytes(std::floor(draw_real(rng, 0, 1e7))));
    }
  }
  stream::verify(writer.program());
  return writer.program();
}

void add_hosts(std::mt19937_64& rng, stream::Program& program) {
  for (stream::Compute& compute : program.computes) {
    const int kernels = draw(rng, 1, 20);
    compute.issue.prepare(Seconds(draw_real(rng, 0, 1e-4)));
    compute.issue.add_kernels(kernels, Seconds(draw_real(rng, 0, 1.5e-3) / kernels), compute.duration);
    compute.issue.waits = draw(rng, 0, 5) == 0;
  }
  for (stream::Communication& communication : program.communications) {
    communication.issue.all   = Seconds(draw_real(rng, 0, 2e-4));
    communication.issue.waits = draw(rng, 0, 3) == 0;
    if (!communication.fixed) communication.start = Seconds(draw(rng, 0, 1) * 1e-4);
  }
}

}  // namespace foreflow::test
