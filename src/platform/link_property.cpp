#include "platform/link_property.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "platform/link_text.h"
#include "platform/parameters.h"

namespace foreflow::platform {
namespace {

constexpr std::array<std::string_view, 4> kSimgridTimes = {"ns", "us", "ms", "s"};

// The unit after the number; empty when a blank separates them, which SimGrid does not accept.
std::string_view unit_of(std::string_view value) {
  if (value.find(' ') != std::string_view::npos) return {};
  return value.substr(value.find_last_of("0123456789.") + 1);
}

template <int T, int B, int F>
double plain(Quantity<T, B, F> value) {
  return value.value();
}
double plain(double value) { return value; }
int plain(int value) { return value; }

// Fills in what follows from the member of Link that holds the number.
template <auto kMember>
LinkProperty row(LinkProperty property) {
  property.copy   = [](const Link& from, Link& to) { to.*kMember = from.*kMember; };
  property.text   = [](const Link& link) { return to_text(link.*kMember); };
  property.number = [](const Link& link) -> double { return plain(link.*kMember); };
  property.json   = [](const Link& link) { return Json(plain(link.*kMember)); };
  return property;
}

LinkProperty bandwidth() {
  return row<&Link::bandwidth>({
      .key       = {"bandwidth", "bandwidth of one direction", types::bandwidth(), "unchanged"},
      .attribute = true,
      .result    = "bandwidth_bytes_per_s",
      .read =
          [](const JsonView& value, Link& link) {
            link.bandwidth = value.as_bandwidth();
            if (link.bandwidth.value() <= 0) value.fail("a bandwidth must be above zero, like \"25GBps\"");
          },
      .parse =
          [](const Props& props, const std::string& text, Link& link) {
            link.bandwidth = props.positive("bandwidth", text, "25GBps", parse_bandwidth);
            if (!unit_of(text).ends_with("ps")) props.fail_unreadable("bandwidth", text, "25GBps");
          },
      .describe = [](const Link& link) { return format(link.bandwidth); },
  });
}

LinkProperty latency() {
  return row<&Link::latency>({
      .key       = {"latency", "latency of the link", types::time(), "unchanged"},
      .attribute = true,
      .result    = "latency_s",
      .read      = [](const JsonView& value, Link& link) { link.latency = value.as_seconds(); },
      .parse =
          [](const Props& props, const std::string& text, Link& link) {
            link.latency = props.quantity("latency", text, parse_seconds);
            if (std::find(kSimgridTimes.begin(), kSimgridTimes.end(), unit_of(text)) == kSimgridTimes.end())
              props.fail_unreadable("latency", text, "2us");
          },
      .describe = [](const Link& link) { return format(link.latency); },
  });
}

LinkProperty efficiency() {
  return row<&Link::efficiency>({
      .key    = {"efficiency", "share of the bandwidth that is left to payload", types::positive(1), "unchanged"},
      .result = "efficiency",
      .read =
          [](const JsonView& value, Link& link) {
            link.efficiency = value.as_number();
            if (!(link.efficiency > 0 && link.efficiency <= 1))
              value.fail("is the share of the bandwidth that is left to payload; give a number above 0, at most 1");
          },
      .parse =
          [](const Props& props, const std::string& text, Link& link) {
            link.efficiency = props.number("efficiency", text);
            if (!(link.efficiency > 0 && link.efficiency <= 1))
              props.fail(fmt::format("efficiency \"{}\" must be above 0 and at most 1", text));
          },
      .describe =
          [](const Link& link) { return link.efficiency < 1 ? fmt::format("efficiency {}", link.efficiency) : ""; },
  });
}

LinkProperty channels() {
  return row<&Link::channels>({
      .key      = {"channels", "parallel channels of a collective over it", types::whole(1), "unchanged"},
      .result   = "channels",
      .read     = [](const JsonView& value, Link& link) { link.channels = whole(value); },
      .parse    = [](const Props& props, const std::string& text,
                  Link& link) { link.channels = props.whole_number("channels", text, 1); },
      .describe = [](const Link& link) -> std::string {
        if (link.channels == 0) return "";
        return fmt::format("at most {} channel{}", link.channels, link.channels == 1 ? "" : "s");
      },
  });
}

LinkProperty step_latency() {
  return row<&Link::step_latency>({
      .key      = {"step_latency", "what each step of a collective over it takes besides", types::time(), "unchanged"},
      .result   = "step_latency_s",
      .read     = [](const JsonView& value, Link& link) { link.step_latency = value.as_seconds(); },
      .parse    = [](const Props& props, const std::string& text,
                  Link& link) { link.step_latency = props.quantity("step_latency", text, parse_seconds); },
      .describe = [](const Link& link) -> std::string {
        return link.step_latency > Seconds(0) ? fmt::format("{} more for a step", format(link.step_latency)) : "";
      },
  });
}

}  // namespace

const std::vector<LinkProperty>& link_properties() {
  static const std::vector<LinkProperty> rows = {bandwidth(), latency(), efficiency(), channels(), step_latency()};
  return rows;
}

Link changed(const LinkNumbers& change, Link link) {
  for (const LinkProperty& property : link_properties()) {
    if (change.stated.contains(property.key.name)) property.copy(change.values, link);
  }
  return link;
}

LinkNumbers changed(const LinkNumbers& change, LinkNumbers numbers) {
  numbers.values = changed(change, std::move(numbers.values));
  numbers.stated.insert(change.stated.begin(), change.stated.end());
  return numbers;
}

const Keys& link_keys() {
  static const Keys keys = [] {
    Keys all;
    for (const LinkProperty& property : link_properties()) all.push_back(property.key);
    return all;
  }();
  return keys;
}

}  // namespace foreflow::platform
