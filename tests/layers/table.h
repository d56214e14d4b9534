// What the layer tests check: the modules with their floors, and the fences around outside libraries.
// ARCHITECTURE in code form; src/README.md shows the first table to people, and a test compares the two.
#pragma once

#include <array>
#include <string_view>

namespace foreflow::layers {

// `may_include` lists modules, separated by spaces; every module may also include `base` and itself.
// kAllBelow: every module of a lower floor.
struct Module {
  int floor;
  std::string_view name;
  std::string_view may_include;
};

constexpr std::string_view kAllBelow = "all below";

constexpr std::array kModules = {
    Module{1, "base", ""},
    Module{2, "ir", ""},
    Module{2, "schedule", ""},
    Module{2, "collective", ""},
    Module{2, "platform", ""},
    Module{3, "binary", "ir"},
    Module{3, "ops", "ir"},
    Module{3, "interpret", "ir"},
    Module{3, "reshard", "ir collective platform"},
    Module{3, "cost", "ir platform"},
    Module{3, "stream", "collective platform"},
    Module{4, "onnx", "ir ops interpret"},
    Module{4, "workload", "ir ops"},
    Module{4, "transform", "ir ops interpret schedule reshard"},
    Module{4, "lower", "ir interpret cost stream collective platform"},
    Module{4, "simulate", "stream collective platform"},
    Module{4, "report", "stream platform collective"},
    Module{4, "analyze", "ir interpret cost platform"},
    Module{5, "scenario", kAllBelow},
    Module{5, "execute", "ir ops interpret cost platform stream lower simulate"},
    Module{6, "search", "scenario"},
    Module{6, "sweep", "scenario platform"},
    Module{7, "reproduce", "scenario search"},
    Module{8, "cli", kAllBelow},
};

// Headers of an outside library, by the beginning of their names, and the modules whose .cpp files (and private
// headers) may include them. kEverywhere: every module. No public header may include any.
struct Fence {
  std::string_view prefix;
  std::string_view modules;
};

constexpr std::string_view kEverywhere = "*";

constexpr std::array kFences = {
    Fence{"simgrid/", "simulate platform"},
    Fence{"xbt/", "simulate platform"},
    Fence{"pugixml", "platform"},
    Fence{"google/protobuf/", "onnx binary"},
    Fence{"foreflow_onnx.pb.h", "onnx"},
    Fence{"distir.pb.h", "binary"},
    Fence{"nlohmann/", "base"},
    Fence{"CLI/", "cli"},
    Fence{"boost/", "ir analyze"},
    Fence{"Eigen/", "ops"},
    Fence{"sqlite3.h", "sweep"},
    Fence{"mpi.h", "execute"},
    Fence{"fmt/", kEverywhere},
};

}  // namespace foreflow::layers
