// While a sweep goes on, others read its store; one that would add points waits or says why not.
#include <gtest/gtest.h>

#include "foreflow/base/error.h"
#include "foreflow/sweep/sweep.h"
#include "store/database.h"
#include "support/temporary.h"

namespace foreflow::sweep::sharing_test {
namespace {

Json question(const std::string& nodes) {
  return parse_json(R"({"workload": {"model": "mlp", "layers": 2, "hidden": 64}, "engine": "analytic",
                        "platform": {"topology": "dgx2", "nodes": )" +
                        nodes + "}}",
                    "s.json");
}

Options keeping(const std::string& store) {
  Options options;
  options.store   = store;
  options.version = "1.2.3";
  return options;
}

TEST(StoreOfARunningSweep, IsRead) {
  const test::TemporaryFolder folder;
  Options options  = keeping(folder / "s.sqlite");
  size_t looks     = 0;
  options.finished = [&](size_t done, size_t) {
    ++looks;
    EXPECT_EQ(store::Database(options.store).run("SELECT count(*) FROM points").at(0).at(0), std::to_string(done));
  };
  sweep(question("[1, 2, 3]"), "s.json", options);
  EXPECT_EQ(looks, 3U);
}

TEST(StoreOfARunningSweep, IsNoOtherSweepsToAddTo) {
  const test::TemporaryFolder folder;
  Options options = keeping(folder / "s.sqlite");
  std::string message;
  options.finished = [&](size_t done, size_t total) {
    try {
      const Result other = sweep(question("[1, 2, 3]"), "s.json", keeping(options.store));
      EXPECT_EQ(done, total) << "there was something left to add";
      EXPECT_EQ(other.points.size(), total);
    } catch (const Error& error) {
      message = error.what();
    }
  };
  sweep(question("[1, 2, 3]"), "s.json", options);
  EXPECT_EQ(message,
            options.store + ": is in use by another sweep; wait until that has ended, or give another --store");
}

}  // namespace
}  // namespace foreflow::sweep::sharing_test
