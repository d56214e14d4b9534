// Jobs that share a platform: those without a common link run as if they were alone, and nothing ends earlier together
// than alone.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "foreflow/base/nth.h"
#include "foreflow/simulate/simulate.h"
#include "foreflow/stream/share.h"
#include "support/machine.h"

namespace foreflow::stream::jobs_test {
namespace {

using collective::Kind;
using test::ProgramWriter;
using test::Wiring;

int draw(std::mt19937_64& rng, int low, int high) {
  return low + static_cast<int>(rng() % static_cast<uint64_t>(high - low + 1));
}
double draw_real(std::mt19937_64& rng, double low, double high) {
  return low + (high - low) * static_cast<double>(rng() >> 11) * 0x1p-53;
}

// Devices in groups of `group`; the routes of one group share a few links, and no two groups share any. With `common`,
// every route crosses link 0 besides.
platform::Platform islands(std::mt19937_64& rng, int groups, int group, bool common) {
  Wiring wiring(groups * group);
  if (common) wiring.link(BytesPerSecond(5e9));
  for (int g = 0; g < groups; ++g) {
    std::vector<int> links;
    for (int i = draw(rng, 1, 4); i > 0; --i)
      links.push_back(wiring.link(BytesPerSecond(draw_real(rng, 1e9, 20e9)), Seconds(draw_real(rng, 0, 5e-6))));
    for (int from = 0; from < group; ++from) {
      for (int to = 0; to < group; ++to) {
        std::vector<int> path;
        if (from != to && common) path.push_back(0);
        for (int hops = draw(rng, 1, 2); from != to && hops > 0; --hops)
          path.push_back(nth(links, draw(rng, 0, static_cast<int>(links.size()) - 1)));
        wiring.route(g * group + from, g * group + to, path);
      }
    }
  }
  return wiring.platform();
}

Program random_job(std::mt19937_64& rng, int devices, int first_place) {
  ProgramWriter writer(devices);
  for (int step = draw(rng, 3, 25); step > 0; --step) {
    const int device = draw(rng, 0, devices - 1);
    const int other  = (device + draw(rng, 1, devices - 1)) % devices;
    const Bytes size(std::floor(draw_real(rng, 0, 1e7)));
    if (draw(rng, 0, 1) == 0) {
      writer.compute(device, Seconds(draw_real(rng, 0, 1e-3)));
    } else if (draw(rng, 0, 1) == 0) {
      writer.communicate(Kind::send, {device, other}, size);
    } else {
      writer.communicate(Kind::all_reduce, {device, other}, size);
    }
  }
  for (DeviceUse& device : writer.program().devices) device.place += first_place;
  return repeated(writer.program(), draw(rng, 1, 3));
}

struct Case {
  platform::Platform platform;
  std::vector<Tenant> tenants;
};

Case random_case(uint64_t seed, bool common) {
  std::mt19937_64 rng(seed);
  const int jobs = draw(rng, 2, 4), devices = draw(rng, 2, 4);
  Case drawn{islands(rng, jobs, devices, common), {}};
  for (int job = 0; job < jobs; ++job) {
    const Seconds start(draw(rng, 0, 1) * draw_real(rng, 0, 5e-3));
    drawn.tenants.push_back({"job" + std::to_string(job), random_job(rng, devices, job * devices), start});
  }
  return drawn;
}

// Calls check(alone, together) for the records of every item of every job; `alone` is shifted to the job's start.
template <class Check>
void for_all_records(const Case& drawn, std::string_view engine, const Check& check) {
  const auto& chosen  = simulate::engines().get(engine, "test");
  const Shared shared = share(drawn.tenants);
  verify(shared.program);
  const Timeline together = without_waits(shared, chosen.run(shared.program, drawn.platform));
  verify(without_waits(shared));
  size_t stream = 0;
  for (const Tenant& tenant : drawn.tenants) {
    const Timeline alone = chosen.run(tenant.program, drawn.platform);
    for (const std::vector<Record>& records : alone.records) {
      ASSERT_EQ(together.records[stream].size(), records.size());
      for (size_t i = 0; i < records.size(); ++i) {
        check(Record{tenant.start + records[i].start, tenant.start + records[i].end}, together.records[stream][i]);
      }
      ++stream;
    }
  }
  ASSERT_EQ(stream, together.records.size());
}

constexpr uint64_t kSeeds = 60;

TEST(Sharing, ChangesNothingForTheAnalyticEngine) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    for_all_records(random_case(seed, true), "analytic", [](const Record& alone, const Record& together) {
      EXPECT_NEAR(together.start.value(), alone.start.value(), 1e-12);
      EXPECT_NEAR(together.end.value(), alone.end.value(), 1e-12);
    });
  }
}

TEST(Sharing, ChangesNothingWhereJobsHaveNoCommonLink) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    for_all_records(random_case(seed, false), "simgrid", [](const Record& alone, const Record& together) {
      EXPECT_NEAR(together.start.value(), alone.start.value(), 1e-9 * alone.start.value() + 1e-15);
      EXPECT_NEAR(together.end.value(), alone.end.value(), 1e-9 * alone.end.value() + 1e-15);
    });
  }
}

TEST(Sharing, SlowsJobsDownWhereTheyHaveOne) {
  int slowed = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    bool later = false;
    for_all_records(random_case(seed, true), "simgrid", [&](const Record& alone, const Record& together) {
      later = later || together.end.value() > alone.end.value() * (1 + 1e-6);
    });
    slowed += later ? 1 : 0;
  }
  EXPECT_GT(slowed, static_cast<int>(kSeeds / 2));
}

}  // namespace
}  // namespace foreflow::stream::jobs_test
