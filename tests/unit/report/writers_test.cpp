#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "foreflow/report/writer.h"
#include "unit/report/example.h"

namespace foreflow::report::writers_test {
namespace {

using test::Example;
using test::example;

std::string write(std::string_view name, const Example& of) {
  return writers().get(name, "test").write(of.summary(), of.program, of.timeline, of.platform);
}

const Json::Array& trace_events(const Json& trace) { return *trace.find("traceEvents")->if_array(); }

std::string text_of(const Json& event, std::string_view key) { return *event.find(key)->if_string(); }

int64_t nanoseconds(const Json& event, std::string_view key) {
  return std::llround(*event.find(key)->if_double() * 1000);
}

std::vector<const Json*> events_of_phase(const Json& trace, std::string_view phase) {
  std::vector<const Json*> found;
  for (const Json& event : trace_events(trace)) {
    if (text_of(event, "ph") == phase) found.push_back(&event);
  }
  return found;
}

TEST(EveryWriter, WritesTheSameBytesEveryTime) {
  for (const WriterDef& writer : writers())
    EXPECT_EQ(write(writer.name, example()), write(writer.name, example())) << writer.name;
}

TEST(EveryWriter, AcceptsATimelineInWhichNothingHappens) {
  const Example still{example().job, test::two_devices(), {}, {Seconds(0), {}, {}}};
  for (const WriterDef& writer : writers()) EXPECT_FALSE(write(writer.name, still).empty()) << writer.name;
}

TEST(JsonWriter, WritesTheKeysOfTheContract) {
  const Json json = parse_json(write("json", example()), "out.json");
  std::vector<std::string> keys;
  for (const auto& [key, value] : *json.if_object()) keys.push_back(key);
  const std::vector<std::string> expected = {"scenario",
                                             "engine",
                                             "model_flops",
                                             "iteration_time_s",
                                             "iteration_time_interval_s",
                                             "throughput_samples_per_s",
                                             "tokens_per_s_per_device",
                                             "model_flops_per_s_per_device",
                                             "hardware_flops_per_s_per_device",
                                             "mfu",
                                             "fits",
                                             "placement",
                                             "devices",
                                             "links",
                                             "collectives",
                                             "ops",
                                             "critical_path",
                                             "cost_provenance",
                                             "message_provenance",
                                             "events",
                                             "idle"};
  EXPECT_EQ(keys, expected);
  EXPECT_EQ(
      json.find("devices")->if_array()->at(1).dump_compact(),
      R"({"name":"D2","place":"gpu1","node":"node0","count":1,"members":["D2"],"busy_s":6.0,"compute_s":4.0,"communication_s":2.0,)"
      R"("idle_s":2.0,"peak_memory_bytes":120,"memory_capacity_bytes":100,"fits":false})");
  EXPECT_EQ(json.find("links")->if_array()->at(0).dump_compact(),
            R"({"name":"wire_UP","count":1,"members":["wire_UP"],"bytes":24,"busy_s":2.0,"utilization":0.15})");
  EXPECT_EQ(json.find("critical_path")->if_array()->at(0).dump_compact(),
            R"({"device":"D1","what":"@stage1_forward","time_s":2.0,"count":1,"contention_s":0.0})");
  EXPECT_EQ(json.find("events")->dump_compact(), R"({"distinct":4,"executed":4})");
  EXPECT_EQ(json.find("scenario")->dump_compact(), R"({"name":"two \"stages\""})");
}

TEST(CsvWriter, WritesARowForEveryRecord) {
  EXPECT_EQ(write("csv", example()),
            "device,stream,item,name,kind,start_s,end_s,bytes\n"
            "D1,D1,0,@stage1_forward,compute,0,2,0\n"
            "D1,D1,1,Send,send,2,3,16\n"
            "D1,D1,2,MPIAllreduce,all_reduce,7,8,8\n"
            "D2,D2,0,Send,send,2,3,16\n"
            "D2,D2,1,@stage2_backward,compute,3,7,0\n"
            "D2,D2,2,MPIAllreduce,all_reduce,7,8,8\n");
}

TEST(CsvWriter, QuotesNamesWithCommas) {
  Example odd                  = example();
  odd.program.computes[0].name = "a, \"b\"";
  EXPECT_NE(write("csv", odd).find("D1,D1,0,\"a, \"\"b\"\"\",compute,0,2,0\n"), std::string::npos);
}

TEST(TextWriter, FitsAScreenAndSaysWhatMatters) {
  const std::string text = write("text", example());
  const auto lines       = split(text, '\n');
  EXPECT_LE(lines.size(), 40u);
  for (const std::string& line : lines) {
    const auto cells =
        std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
    EXPECT_LE(cells, 100) << line;
  }
  EXPECT_EQ(lines[2], "  iteration   8 s             throughput  0.5 samples/s         2 tokens/s per device");
  EXPECT_EQ(lines[3], "  MFU         25.0 %          model       25 FLOP/s per device, 37.5 FLOP/s executed");
  EXPECT_NE(text.find("  matrix multiply  ████████▎                 34.4 %     2.75 s   MatMul\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("  idle             █████████                 37.5 %        3 s\n"), std::string::npos) << text;
  EXPECT_NE(text.find("DOES NOT FIT in memory"), std::string::npos);
}

TEST(TextWriter, SaysWhyUtilizationIsAboveThePeak) {
  Example more         = example();
  more.job.model_flops = more.job.hardware_flops = Flops(2000);  // 125 FLOP/s of a peak of 100, on each of two devices
  EXPECT_NE(
      write("text", more).find("\nMFU above 100 %: computes are priced at less time than the peak of f16 allows\n"),
      std::string::npos);
  more.program.computes[0].parts = {{"BlockAttention", Seconds(2)}};
  const std::string text         = write("text", more);
  EXPECT_NE(text.find("\nMFU above 100 %: it counts pairs of attention that a mask hides and fused attention skips\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(write("text", example()).find("above 100 %"), std::string::npos);
}

TEST(TextWriter, SaysHowLongAnOverloadedLinkTakes) {
  const Example of        = example();
  report::Summary summary = of.summary();  // of 8 s, with links that are used for 15 %
  const auto text = [&] { return writers().get("text", "test").write(summary, of.program, of.timeline, of.platform); };
  EXPECT_EQ(text().find("Links above 100 %"), std::string::npos);
  summary.links.back().utilization = 1.25;
  EXPECT_NE(text().find("\nLinks above 100 %: the busiest link needs at least 10 s for its traffic; this engine does "
                        "not model contention, simgrid does\n"),
            std::string::npos)
      << text();
}

// A use above 100 % is what was asked of a link, so the figures beside it are too small.
TEST(Writers, SayHowLongAnOverloadedLinkTakes) {
  const Example of        = example();
  report::Summary summary = of.summary();
  const auto written      = [&](const char* writer) {
    return writers().get(writer, "test").write(summary, of.program, of.timeline, of.platform);
  };
  EXPECT_EQ(written("json").find("links_need_s"), std::string::npos);
  EXPECT_EQ(written("html").find("Above 100 %"), std::string::npos);
  summary.links.back().utilization = 1.25;
  EXPECT_NE(written("json").find("\"links_need_s\": 10.0"), std::string::npos);
  EXPECT_NE(written("html").find("Above 100 %: the busiest link needs at least 10 s for its traffic"),
            std::string::npos);
}

TEST(TextWriter, EqualDevicesShareALine) {
  Example equal = example();
  for (stream::DeviceUse& device : equal.program.devices) device.initial = Bytes(10);
  equal.program.streams[1].items = {{0, 0, 2}, {1, -1, 1}, {1, 1, 0}};
  equal.program.streams[0].items = {{0, 0, 2}, {1, -1, 1}, {1, 1, 0}};
  equal.timeline.records[0]      = equal.timeline.records[1];
  EXPECT_NE(write("text", equal).find("\n  D1, D2  "), std::string::npos) << write("text", equal);
}

TEST(TraceWriter, SlicesOfAThreadNestAndCoverTheTimeline) {
  const Json trace = parse_json(write("trace", example()), "trace.json");
  std::map<int64_t, int64_t> longest;  // thread -> nanoseconds in slices that no other contains
  std::map<int64_t, int64_t> reached;
  for (const Json* slice : events_of_phase(trace, "X")) {
    const int64_t thread = *slice->find("tid")->if_int();
    const int64_t start  = nanoseconds(*slice, "ts");
    const int64_t end    = start + nanoseconds(*slice, "dur");
    if (start < reached[thread]) {
      EXPECT_LE(end, reached[thread]) << text_of(*slice, "name");
      continue;
    }
    reached[thread] = end;
    longest[thread] += end - start;
  }
  EXPECT_EQ(longest[0], 4'000'000'000);
  EXPECT_EQ(longest[1], 6'000'000'000);
}

TEST(TraceWriter, PartsOfACompositeStayInsideItWhateverTheRounding) {
  Example odd                      = example();
  const double third               = 1.0 / 3e9;
  odd.program.computes[0].parts    = {{"a", Seconds(third)}, {"b", Seconds(third)}, {"c", Seconds(2 * third)}};
  odd.timeline.records[0][0].end   = Seconds(4 * third);
  const Json trace                 = parse_json(write("trace", odd), "trace.json");
  const std::vector<const Json*> x = events_of_phase(trace, "X");
  const int64_t end                = nanoseconds(*x[0], "ts") + nanoseconds(*x[0], "dur");
  for (size_t i = 1; i <= 3; ++i) {
    EXPECT_GE(nanoseconds(*x[i], "ts"), nanoseconds(*x[i - 1], "ts"));
    EXPECT_LE(nanoseconds(*x[i], "ts") + nanoseconds(*x[i], "dur"), end);
  }
}

TEST(TraceWriter, AMessageIsAnArrowFromItsSenderToItsReceiver) {
  const Json trace   = parse_json(write("trace", example()), "trace.json");
  const auto leaves  = events_of_phase(trace, "s");
  const auto arrives = events_of_phase(trace, "f");
  ASSERT_EQ(leaves.size(), 1u);
  ASSERT_EQ(arrives.size(), 1u);
  EXPECT_EQ(*leaves[0]->find("pid")->if_int(), 1);
  EXPECT_EQ(*arrives[0]->find("pid")->if_int(), 2);
  EXPECT_EQ(*leaves[0]->find("id")->if_int(), *arrives[0]->find("id")->if_int());
}

TEST(TraceWriter, LinkCountersIntegrateToTheBytesOfTheLink) {
  const Example one = example();
  const Json trace  = parse_json(write("trace", one), "trace.json");
  std::map<std::string, double> bytes, rate;
  std::map<std::string, int64_t> since;
  for (const Json* counter : events_of_phase(trace, "C")) {
    const std::string name = text_of(*counter, "name");
    const Json* value      = counter->find("args")->find("GB/s");
    if (value == nullptr) continue;
    bytes[name] += rate[name] * static_cast<double>(nanoseconds(*counter, "ts") - since[name]);
    since[name] = nanoseconds(*counter, "ts");
    rate[name]  = value->if_int() != nullptr ? static_cast<double>(*value->if_int()) : *value->if_double();
  }
  EXPECT_NEAR(bytes["wire_UP"], 24, 1e-9);
  EXPECT_NEAR(bytes["wire_DOWN"], 8, 1e-9);
}

TEST(SvgWriter, DrawsABoxForEveryItemAndEscapesNames) {
  const std::string svg = write("svg", example());
  EXPECT_EQ(svg.find("<svg "), 0u);
  EXPECT_NE(svg.find("two &quot;stages&quot;"), std::string::npos);
  size_t boxes = 0;
  for (size_t at = 0; (at = svg.find("<title>", at)) != std::string::npos; ++at) ++boxes;
  EXPECT_EQ(boxes, 2u + 6u);  // two row labels, six items
}

TEST(SvgWriter, TenThousandNarrowItemsStaySmall) {
  Example many                = example();
  many.program                = {};
  many.program.computes       = {{"MatMul", Seconds(1), Flops(0), {}}, {"Relu", Seconds(0.25), Flops(0), {}}};
  many.program.memory_effects = {{Bytes(0), Bytes(0)}};
  many.program.devices        = {{1, 0, Bytes(0)}};
  many.program.streams        = {{"D1", 0, {}}};
  many.timeline               = {Seconds(0), {{}}, {}};
  Seconds now;
  for (int i = 0; i < 10000; ++i) {
    const Seconds end = now + nth(many.program.computes, i % 2).duration;
    many.program.streams[0].items.push_back({i % 2, -1, 0});
    many.timeline.records[0].push_back({now, end});
    now = end;
  }
  many.timeline.makespan = now;
  EXPECT_LT(write("svg", many).size(), 60000u);
}

TEST(HtmlWriter, IsOnePageWithTheDrawingInside) {
  const std::string html = write("html", example());
  EXPECT_EQ(html.find("<!DOCTYPE html>"), 0u);
  EXPECT_NE(html.find("<svg "), std::string::npos);
  EXPECT_EQ(html.find("http", html.find("</svg>")), std::string::npos);
  EXPECT_EQ(html.find("<script"), std::string::npos);
}

// As the table of the text: 16 bytes in 1 s, of which contention takes 0.2.
TEST(HtmlWriter, HasTheTableOfCommunications) {
  EXPECT_NE(write("html", example())
                .find(R"(<tr><td>Send 16 B</td><td class="n">1</td><td class="n">1 s</td>)"
                      R"(<td class="n">16 B/s</td><td class="n">16 B/s</td>)"
                      R"(<td class="n">20.0 %</td>)"),
            std::string::npos);
}

// Two iterations take 4 s alone and 5 s together with another job.
TEST(HtmlWriter, HasTheTableOfSeveralJobs) {
  const Example of = example();
  Summary summary  = of.summary();
  SharedJob first;
  first.name       = "first <job>";
  first.dtype      = "f16";
  first.placement  = "spread";
  first.start      = Seconds(3);
  first.iterations = 2;
  first.alone      = Seconds(4);
  summary.jobs     = {{first, Seconds(5), 1.25}};
  for (const char* name : {"html", "svg"}) {
    const std::string one = write(name, of),
                      all = writers().get(name, "test").write(summary, of.program, of.timeline, of.platform);
    EXPECT_NE(one.find("one iteration"), std::string::npos) << name;
    EXPECT_EQ(all.find("one iteration"), std::string::npos) << name;
    EXPECT_NE(all.find("all jobs"), std::string::npos) << name;
    EXPECT_EQ(one.find("slowdown"), std::string::npos) << name;
  }
  const std::string html = writers().get("html", "test").write(summary, of.program, of.timeline, of.platform);
  EXPECT_NE(html.find(R"(<tr><td>first &lt;job&gt;, 2 x</td><td class="n">3 s</td><td class="n">4 s</td>)"
                      R"(<td class="n">5 s</td><td class="n">1.250 x</td><td>spread: D1, D2 on node0</td></tr>)"),
            std::string::npos);
}

}  // namespace
}  // namespace foreflow::report::writers_test
