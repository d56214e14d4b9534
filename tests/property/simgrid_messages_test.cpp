// Messages on files that configure SimGrid's network model take as long as SimGrid's own: factors, TCP windows,
// latencies that change, and fat pipes whose bandwidth changes, by every engine.
#include "support/simgrid_messages.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "foreflow/base/nth.h"
#include "foreflow/platform/load.h"
#include "foreflow/simulate/profiles.h"
#include "foreflow/simulate/simulate.h"
#include "support/machine.h"
#include "support/temporary.h"

namespace foreflow::platform::simgrid_messages_test {
namespace {

using test::ProgramWriter;

constexpr int kMessages = 6;

class File {
 public:
  explicit File(uint64_t seed) : random_(seed) {}

  std::string write(const test::TemporaryFolder& folder) {
    const std::string config = config_of_model();
    std::string links, crossed;
    for (const std::string id : {"l", "f", "g"}) {
      links +=
          fmt::format("<link id=\"{}\" bandwidth=\"{}Bps\" latency=\"{}us\"", id, number(1e6, 2e7), number(1, 5000));
      if (id != "l") links += " sharing_policy=\"FATPIPE\"";
      // SimGrid 3.32 lets a message go on no faster than its links were when it began: bandwidths only fall.
      if (id == "f" && even()) links += profile(folder, "bandwidth", {number(6e5, 9e5), number(3e5, 6e5)});
      if (id != "g" && even()) links += profile(folder, "latency", {number(0, 2) / 100, number(0, 2) / 100}, id);
      links += "/>\n";
      crossed += fmt::format("<link_ctn id=\"{}\"/>", id);
    }
    std::string path = folder / "platform.xml";
    std::ofstream(path) << "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform "
                           "version=\"4.1\">\n<config>"
                        << config << "</config>\n<zone id=\"z\" routing=\"Full\">\n<host id=\"a\" speed=\"1Gf\"/>\n"
                        << "<host id=\"b\" speed=\"1Gf\"/>\n"
                        << links << "<route src=\"a\" dst=\"b\">" << crossed << "</route>\n</zone>\n</platform>\n";
    return path;
  }

  // Some begin while others are under way, and none pays its latency while latencies change, at 1 and 2 s: SimGrid then
  // lets it go before.
  std::vector<test::SimgridMessage> messages() {
    std::vector<test::SimgridMessage> all;
    for (int i = 0; i < kMessages; ++i)
      all.push_back({"a", "b", std::floor(number(1, 1e6)), std::floor(i / 2.0) + number(0.01, 0.4)});
    return all;
  }

 private:
  bool even() { return random_() % 2 == 0; }
  double number(double least, double most) {
    return least + (most - least) * static_cast<double>(random_() >> 11) * 0x1p-53;
  }

  std::string config_of_model() {
    std::string text = "<prop id=\"network/crosstraffic\" value=\"0\"/><prop id=\"network/weight-S\" value=\"0\"/>";
    const auto add   = [&](const std::string& id, const std::string& value) {
      text += fmt::format("<prop id=\"network/{}\" value=\"{}\"/>", id, value);
    };
    add("model", even() ? "LV08" : "CM02");
    if (even()) add("TCP-gamma", fmt::format("{}", number(0, 3e4)));
    if (even()) add("latency-factor", fmt::format("{}", number(1, 5)));
    if (even()) add("bandwidth-factor", fmt::format("{}", number(0.5, 1)));
    return text;
  }

  static std::string profile(const test::TemporaryFolder& folder, const std::string& what,
                             const std::array<double, 2>& values, const std::string& id = "") {
    const std::string name = what + id + ".profile";
    std::ofstream(folder / name) << fmt::format("1 {}\n2 {}\n", values[0], values[1]);
    return fmt::format(" {}_file=\"{}\"", what, name);
  }

  std::mt19937_64 random_;
};

std::vector<double> our_messages(const std::string& path, const std::vector<test::SimgridMessage>& messages,
                                 const std::string& engine) {
  const Platform platform = load_file(path);
  EXPECT_TRUE(platform.declared().ignored.empty());
  ProgramWriter writer(2);
  std::vector<int> senders;
  for (size_t i = 0; i < messages.size(); ++i) {
    const int sender = writer.stream(0), receiver = writer.stream(1);
    writer.compute(sender, Seconds(messages[i].start));
    writer.communicate(collective::Kind::send, {sender, receiver}, Bytes(messages[i].bytes));
    senders.push_back(sender);
  }
  simulate::Options options;
  options.disturbances = simulate::with_profiles({}, platform);
  const auto timeline  = simulate::engines().get(engine, "test").run(writer.program(), platform, options);
  std::vector<double> ends;
  for (const int sender : senders) ends.push_back(nth(timeline.records, sender).back().end.value());
  return ends;
}

TEST(SimgridMessages, TakeAsLongAsSimgridsOwn) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const test::TemporaryFolder folder;
    File file(seed);
    const std::string path = file.write(folder);
    const auto messages    = file.messages();
    const auto theirs      = test::simgrid_messages(path, messages);
    ASSERT_EQ(theirs.size(), messages.size());
    for (const std::string engine : {"simgrid", "simgrid_flows"}) {
      const auto ours = our_messages(path, messages, engine);
      for (size_t i = 0; i < ours.size(); ++i)
        EXPECT_NEAR(ours[i], theirs[i], 1e-9 * theirs[i]) << engine << ", message " << i;
    }
  }
}

}  // namespace
}  // namespace foreflow::platform::simgrid_messages_test
