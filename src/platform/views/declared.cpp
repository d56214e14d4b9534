#include "platform/views/declared.h"

#include <fmt/core.h>

#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "foreflow/base/escape.h"

namespace foreflow::platform {
namespace {

std::string_view name_of(Profile::What what) {
  switch (what) {
    case Profile::What::speed: return "speed";
    case Profile::What::on: return "state";
    case Profile::What::bandwidth: return "bandwidth";
    case Profile::What::latency: return "latency";
    case Profile::What::link_on: return "link state";
  }
  return "";
}

std::string lines(std::string_view head, const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& line : all) text += fmt::format("{}: {}\n", head, escape::terminal(line));
  return text;
}

Json texts(const std::vector<std::string>& all) {
  Json list = Json::array();
  for (const std::string& line : all) list.push(line);
  return list;
}

}  // namespace

std::string describe_declared(const Platform& platform) {
  const Declared& declared = platform.declared();
  std::string text;
  std::map<std::pair<double, double>, int> disks;  // by read and write bandwidth
  for (const Disk& disk : declared.disks) ++disks[{disk.read.value(), disk.write.value()}];
  for (const auto& [speeds, count] : disks) {
    text += fmt::format("{:>6} x disk: reads {}, writes {}\n", count, format(BytesPerSecond(speeds.first)),
                        format(BytesPerSecond(speeds.second)));
  }
  std::map<std::string_view, int> profiles;
  for (const Profile& profile : declared.profiles) ++profiles[name_of(profile.what)];
  for (const auto& [what, count] : profiles) text += fmt::format("{:>6} x profile of {}\n", count, what);
  return text + lines("assumed", declared.assumed) + lines("not honoured", declared.ignored);
}

void add_declared(const Platform& platform, Json& json) {
  const Declared& declared = platform.declared();
  if (!declared.disks.empty()) {
    Json disks = Json::array();
    for (const Disk& disk : declared.disks) {
      disks.push(Json::object()
                     .set("host", disk.host)
                     .set("name", disk.name)
                     .set("read_bytes_per_s", disk.read.value())
                     .set("write_bytes_per_s", disk.write.value()));
    }
    json.set("disks", std::move(disks));
  }
  if (!declared.assumed.empty()) json.set("assumed", texts(declared.assumed));
  if (!declared.ignored.empty()) json.set("not_honoured", texts(declared.ignored));
}

std::string limit_text(BytesPerSecond bandwidth) {
  return std::isinf(bandwidth.value()) ? "no limit" : format(bandwidth);
}

Json limit_json(BytesPerSecond bandwidth) { return std::isinf(bandwidth.value()) ? Json() : Json(bandwidth.value()); }

}  // namespace foreflow::platform
