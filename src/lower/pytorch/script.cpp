#include <fmt/core.h>

#include <cctype>

#include "foreflow/base/escape.h"
#include "foreflow/base/text.h"
#include "lower/pytorch/function.h"
#include "lower/pytorch/python.h"
#include "lower/pytorch/runtime.h"
#include "lower/pytorch/shared_texts.h"

namespace foreflow::lower {
namespace {

// The functions of all ranks, each once: those of the same name that differ in names of values and in integers are one.
class Functions {
 public:
  // The name of a function of one rank, which is kept now unless it is there already.
  std::string name_of(const ir::Module& program, const ir::Function& function, int rank,
                      const std::vector<std::string>& callees, World& world) {
    const auto pattern = [&](Naming naming) {
      return integers_of_code(function_text(program, function, rank, callees, world, naming));
    };
    const std::string wanted = python::identifier(function.name, python::Scope::script);
    const size_t number      = texts_.add(rank, wanted, pattern(Naming::canonical));
    if (number == names_.size()) {
      std::string name = wanted;
      while (!taken_.insert(name).second) name = fmt::format("{}_{}", wanted, ++count_[wanted] + 1);
      names_.push_back(std::move(name));
      patterns_.push_back(pattern(Naming::own));
    }
    return names_[number];
  }
  std::string text(RankNumbers& numbers) {
    texts_.number(numbers);
    std::string text;
    for (size_t i = 0; i < names_.size(); ++i)
      text += "\n\ndef " + names_[i] + code_with(patterns_[i], texts_.expressions(i));
    return text;
  }

 private:
  SharedTexts texts_;
  std::vector<std::string> names_;
  std::vector<Pattern> patterns_;  // with the names of the first rank
  std::map<std::string, int> count_;
  std::set<std::string> taken_ = runtime::script_names();
};

using Stems = std::map<std::string, std::string>;

// The files of the entries of all ranks, which share a folder for each of the two.
struct Files {
  Stems parameters, results;
};

Files files_of(const std::map<ir::Device, ir::Module>& programs) {
  std::map<std::string, bool> parameters, results;
  const auto add = [](const ir::Value& value, std::map<std::string, bool>& to) {
    to.emplace(value.name, value.annotation != nullptr && value.annotation->is_tuple());
  };
  for (const auto& [device, program] : programs) {
    const ir::Function& entry = program.entry();
    for (size_t i = 0; i < entry.parameters.size(); ++i) add(entry.values[i], parameters);
    for (const ir::ValueId id : entry.results) add(entry.value(id), results);
  }
  return {file_stems(parameters), file_stems(results)};
}

// (1, 3, 5), or tuple(range(0, 1024, 8)) for long lists.
std::string tuple_text(const std::vector<int>& list) {
  constexpr size_t kLong = 8;
  const int step         = list.size() < 2 ? 0 : list[1] - list[0];
  bool even              = list.size() > kLong && step > 0;
  for (size_t i = 1; i < list.size(); ++i) even = even && list[i] - list[i - 1] == step;
  if (!even) return python::tuple(std::vector<int64_t>(list.begin(), list.end()));
  return fmt::format("tuple(range({}, {}, {}))", list.front(), list.back() + 1, step);
}

std::string tuples_text(const std::vector<std::vector<int>>& lists) {
  std::vector<std::string> tuples;
  for (const std::vector<int>& list : lists) tuples.push_back(tuple_text(list));
  return join(tuples);
}

std::string parameters_of(const ir::Module& program, const Stems& stems) {
  const ir::Function& entry = program.entry();
  std::string text;
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    const ir::Value& value = entry.values[i];
    try {
      const std::string like = python::like(value.annotation == nullptr ? ir::Type() : *value.annotation);
      text += fmt::format("        ({}, {}),\n", escape::python(stems.at(value.name)), like);
    } catch (const Error& error) {
      throw Error(program.source + ": @" + entry.name + ": %" + value.name, "its type " + error.problem());
    }
  }
  return text;
}

// The files of the parameters and results of all ranks; those of ranks that differ in integers in their names are one.
class FileLists {
 public:
  explicit FileLists(const std::map<ir::Device, ir::Module>& programs) : files_(files_of(programs)) {}

  // The number of the list of a rank.
  size_t number_of(const ir::Module& program, int rank) {
    std::vector<std::string> results;
    for (const ir::ValueId id : program.entry().results)
      results.push_back(escape::python(files_.results.at(program.entry().value(id).name)));
    const Pattern pattern = integers_of_strings("    lambda: ([\n" + parameters_of(program, files_.parameters) +
                                                "    ], " + python::tuple(results) + "),\n");
    const size_t number   = texts_.add(rank, "files", pattern);
    if (number == patterns_.size()) patterns_.push_back(pattern);
    return number;
  }
  std::string text(RankNumbers& numbers) {
    texts_.number(numbers);
    std::string text = "FILES = [\n";
    for (size_t i = 0; i < patterns_.size(); ++i) text += strings_with(patterns_[i], texts_.expressions(i));
    return text + "]\n";
  }

 private:
  Files files_;
  SharedTexts texts_;
  std::vector<Pattern> patterns_;
};

struct Row {
  std::string device, function;
  size_t files;
};

std::string rows_text(const std::vector<Row>& rows, const World& world, const RankNumbers& numbers) {
  std::string text;
  for (size_t rank = 0; rank < rows.size(); ++rank) {
    text +=
        fmt::format("    ({}, {}, FILES[{}], [{}], {}),\n", rows[rank].device, rows[rank].function, rows[rank].files,
                    tuples_text(world.teams[rank]), python::list(numbers.of(static_cast<int>(rank))));
  }
  return text;
}

std::string groups_text(const World& world) {
  return "# Ranks that communicate as a group, in the order in which every rank makes the groups.\nGROUPS = [" +
         tuples_text({world.groups.begin(), world.groups.end()}) + "]\n";
}

// The first line about the script. The script finds its program between two marks, "# --- ..", which no title makes.
std::string title_line(std::string title) {
  title = "# " + escape::python_comment(title);
  for (size_t at = title.find("# ---"); at != std::string::npos; at = title.find("# ---", at))
    title.insert(at + 2, "\\");
  return title;
}

// The default of torch for convolutions is the reverse of that for products.
std::string units_text(Products products) {
  if (products == Products::exact) return "";
  return "torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True\n\n";
}

std::string head_text(const std::string& title, size_t ranks) {
  const char* const plural = ranks == 1 ? "" : "es";
  return fmt::format(
      "#!/usr/bin/env python3\n"
      "{0}: {1} process{2}.\n"
      "#\n"
      "#   torchrun --nproc-per-node {1} run.py        on one machine: GPUs with NCCL, else CPUs with Gloo\n"
      "#   python3 run.py                              the same without torchrun\n"
      "#   torchrun --nnodes N --nproc-per-node M --rdzv-backend c10d --rdzv-endpoint HOST:29400 run.py    N x M = "
      "{1}\n"
      "#   .. run.py --warmup 3 --iterations 10 --time-ops times.csv    times iterations, and every op of every rank\n"
      "#   .. run.py --help                            weights from files, checks against expected results\n"
      "#\n"
      "# Needs torch 1.13 or later and nothing else; torch 1 spells --nproc_per_node, --rdzv_backend, "
      "--rdzv_endpoint.\n"
      "# Written by foreflow lower --target pytorch.\n",
      title_line(title), ranks, plural);
}

}  // namespace

std::map<std::string, std::string> file_stems(const std::map<std::string, bool>& is_tuple) {
  std::set<std::string> names;
  for (const auto& [name, tuple] : is_tuple) names.insert(name);
  auto stems = escape::file_names(names);
  for (const auto& [name, tuple] : is_tuple) {
    if (!tuple) continue;
    const std::string elements = stems.at(name) + ".";
    for (const auto& [other, stem] : stems) {
      if (stem.starts_with(elements) && stem.find_first_not_of("0123456789.", elements.size()) == std::string::npos)
        throw Error("%" + other, "has the file of an element of the tuple %" + name + "; rename one of them");
    }
  }
  return stems;
}

std::string pytorch_script(const std::map<ir::Device, ir::Module>& programs, const std::string& title,
                           Products products) {
  World world;
  for (const auto& [device, program] : programs) {
    const auto rank = static_cast<int>(world.ranks.size());
    world.ranks.emplace(device.index, rank);
  }
  FileLists files(programs);
  Functions functions;
  std::vector<Row> rows;
  for (const auto& [device, program] : programs) {
    const auto rank = static_cast<int>(rows.size());
    std::vector<std::string> names;
    world.teams.emplace_back();
    for (const ir::Function& function : program.functions) {
      const bool is_entry = &function == &program.functions.back();
      if (!is_entry && function.ops.empty() && function.results.empty()) {
        names.emplace_back();  // it is never called
        continue;
      }
      names.push_back(functions.name_of(program, function, rank, names, world));
    }
    rows.push_back({escape::python("D" + (device.placed() ? ir::to_string(device) : "1")), names.back(),
                    files.number_of(program, rank)});
  }
  RankNumbers numbers(rows.size());
  const std::string body =
      "# --- program: every op with the types of its operands" + functions.text(numbers) + "\n\n# --- end of program\n";
  const std::string lists = files.text(numbers);
  return head_text(title, programs.size()) + std::string(runtime::head) + runtime::functions_for(body) + "\n\n" +
         units_text(products) + body + "\n" + groups_text(world) + "\n" + lists + "\nPROGRAMS = [\n" +
         rows_text(rows, world, numbers) + "]\n\n" + std::string(runtime::main);
}

}  // namespace foreflow::lower
