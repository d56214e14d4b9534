// What the layer tests check: the modules with their floors, and the fences around outside libraries.
// src/README.md shows the first table to people, and a test compares the two.
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
    Module{2, "store", ""},
    Module{3, "binary", "ir"},
    Module{3, "ops", "ir"},
    Module{3, "interpret", "ir"},
    Module{3, "cost", "ir platform"},
    Module{3, "stream", "collective platform"},
    Module{3, "reshard", "collective platform"},
    Module{4, "onnx", "ir ops interpret"},
    Module{4, "workload", "ir ops"},
    Module{4, "transform", "ir ops interpret schedule reshard"},
    Module{4, "lower", "ir interpret cost stream reshard collective platform"},
    Module{4, "simulate", "stream collective platform"},
    Module{4, "report", "stream platform collective"},
    Module{4, "analyze", "ir interpret cost platform"},
    Module{5, "scenario", kAllBelow},
    Module{5, "execute", "ir ops interpret cost platform stream lower simulate"},
    Module{6, "search", "schedule scenario store"},
    Module{6, "sweep", "scenario platform store"},
    Module{7, "reproduce", kAllBelow},
    Module{8, "cli", kAllBelow},
};

// The folders of a module that has some, with the floors on which they stand inside it. `may_include` lists folders of
// the same module; every folder may also include itself and the headers that stand in the module's own folder. A folder
// inside of another one has a row of its own, and is named with the other: "pipeline/cuts".
struct Folder {
  int floor;
  std::string_view name;
  std::string_view may_include;
};

constexpr std::array kFolders = {
    Folder{1, "ops/common", ""},
    Folder{2, "ops/attention", "common"},
    Folder{2, "ops/communication", "common"},
    Folder{2, "ops/convolution", "common"},
    Folder{2, "ops/elementwise", "common"},
    Folder{2, "ops/experts", "common"},
    Folder{2, "ops/indexing", "common"},
    Folder{2, "ops/loss", "common"},
    Folder{2, "ops/matrix", "common"},
    Folder{2, "ops/normalisation", "common"},
    Folder{2, "ops/optimizer", "common"},
    Folder{2, "ops/quantisation", "common"},
    Folder{2, "ops/random", "common"},
    Folder{2, "ops/recurrent", "common"},
    Folder{2, "ops/reduction", "common"},
    Folder{2, "ops/shape", "common"},
    Folder{2, "ops/signal", "common"},
    Folder{1, "platform/devices", ""},
    Folder{1, "platform/hosts", ""},
    Folder{1, "platform/layout", ""},
    Folder{1, "platform/nodes", ""},
    Folder{1, "platform/placements", ""},
    Folder{1, "platform/routes", ""},
    Folder{1, "platform/views", ""},
    Folder{2, "platform/capacity", "layout routes"},
    Folder{2, "platform/fabrics", "routes"},
    Folder{2, "platform/files", "routes"},
    Folder{3, "platform/imports", "files nodes"},
    Folder{3, "platform/recipes", "fabrics layout nodes routes"},
    Folder{3, "platform/ruled", "capacity layout routes"},
    Folder{3, "platform/zones", "files nodes"},
    Folder{1, "scenario/framework", ""},
    Folder{1, "scenario/keys", ""},
    Folder{1, "scenario/strategy_keys", ""},
    Folder{2, "scenario/distribution", "strategy_keys"},
    Folder{2, "scenario/reading", "keys"},
    Folder{3, "scenario/demand", "distribution"},
    Folder{3, "scenario/events", "distribution"},
    Folder{3, "scenario/run", "distribution"},
    Folder{3, "scenario/sequential", "distribution"},
    Folder{1, "search/bounds", ""},
    Folder{1, "search/results", ""},
    Folder{1, "search/space", ""},
    Folder{2, "search/exhaustive", "bounds space"},
    Folder{2, "search/sampling", "bounds space"},
    Folder{1, "simulate/routes", ""},
    Folder{2, "simulate/footprint", "routes"},
    Folder{3, "simulate/network", "footprint routes"},
    Folder{3, "simulate/streams", "footprint"},
    Folder{4, "simulate/disturbances", "streams"},
    Folder{4, "simulate/fold", "footprint network streams"},
    Folder{5, "simulate/engines", "fold footprint network streams"},
    Folder{5, "simulate/rounds", "fold"},
    Folder{1, "transform/optimizers", ""},
    Folder{1, "transform/rewrite", ""},
    Folder{2, "transform/autodiff", "rewrite"},
    Folder{2, "transform/blocks", "rewrite"},
    Folder{2, "transform/layout", "rewrite"},
    Folder{2, "transform/simplify", "rewrite"},
    Folder{2, "transform/types", "rewrite"},
    Folder{3, "transform/context", "blocks layout rewrite"},
    Folder{3, "transform/recompute", "blocks rewrite"},
    Folder{3, "transform/replica", "layout rewrite"},
    Folder{3, "transform/samples", "rewrite"},
    Folder{3, "transform/tensor", "autodiff layout rewrite simplify"},
    Folder{4, "transform/overlap", "context rewrite"},
    Folder{4, "transform/pipeline/overlapped", "layout rewrite"},
    Folder{4, "transform/pipeline/phases", "layout"},
    Folder{5, "transform/pipeline/cuts", "blocks layout pipeline/phases rewrite"},
    Folder{6, "transform/pipeline/weight_gradients", "blocks pipeline/cuts rewrite"},
    Folder{7, "transform/pipeline/model",
           "layout pipeline/cuts pipeline/overlapped pipeline/phases pipeline/weight_gradients"},
    Folder{7, "transform/pipeline/program", "blocks layout pipeline/cuts pipeline/weight_gradients rewrite"},
    Folder{8, "transform/pipeline/messages", "layout pipeline/program"},
    Folder{9, "transform/pipeline",
           "context pipeline/cuts pipeline/messages pipeline/program pipeline/weight_gradients tensor"},
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
    Fence{"sqlite3.h", "store"},
    Fence{"mpi.h", "execute"},
    Fence{"zlib.h", "execute"},
    Fence{"fmt/", kEverywhere},
};

}  // namespace foreflow::layers
