// The content of a picture of a platform, independent of the output format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foreflow/platform/platform.h"

namespace foreflow::platform {

struct Item {
  std::string name;
  std::string node = {};  // the server that it belongs to; "" for parts that servers share
  int row          = 0;   // 0: devices; 1, 2, ...: switches at increasing distance from them; -1: NVSwitches
  bool device      = false;
};

struct Line {
  int a, b;           // items
  std::string kind;   // "" between two cables that are items
  std::string about;  // "25 GB/s, 2 us"
  double bandwidth;   // bytes per second
};

struct Sketch {
  std::vector<Item> items;  // the devices first
  std::vector<Line> lines;
};

Sketch sketch(const Platform& platform);

// The name without its server: "node0-gpu3" in node0 is "gpu3".
std::string_view short_name(const Item& item);

// "#76b900".
std::string_view colour(std::string_view kind);

// Width of a line in points.
double stroke_width(double bandwidth);

}  // namespace foreflow::platform
