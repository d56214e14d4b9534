// Random platforms and programs of streams, for comparing engines.
#pragma once

#include <random>
#include <vector>

#include "foreflow/platform/platform.h"
#include "foreflow/stream/program.h"

namespace foreflow::test {

int draw(std::mt19937_64& rng, int low, int high);  // both included
double draw_real(std::mt19937_64& rng, double low, double high);
collective::Kind draw_kind(std::mt19937_64& rng);
// `count` of the streams, in random order.
std::vector<int> draw_members(std::mt19937_64& rng, std::vector<int> streams, int count);

// Every ordered pair of devices has one to three links of its own.
platform::Platform private_links(std::mt19937_64& rng, int devices);
// A few links in all; every route crosses some of them, perhaps twice.
platform::Platform shared_links(std::mt19937_64& rng, int devices);

// Computes, collectives among the comm streams and hand-overs between the two streams of a device, in random order.
stream::Program random_streams(std::mt19937_64& rng, int devices);
// Gives everything costs of the host, of the order of the durations, so that host and device decide in turn.
void add_hosts(std::mt19937_64& rng, stream::Program& program);

}  // namespace foreflow::test
