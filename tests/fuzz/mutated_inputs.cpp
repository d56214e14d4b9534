// mutated_inputs COMMAND COUNT [FORM...]: changed inputs through the command `foreflow`, one process each. Prints a
// line for each form and the findings, which are saved in the folder `findings`; exit code 1 when there are some.
// The inputs are the same in every run; another number in the environment variable FOREFLOW_SEED gives others.
//
// taken: exit code 0. refused: exit code 1 and one line "foreflow: error: ...". slow: more than 10 seconds of CPU time.
// A finding: everything else - a signal, an internal error, more lines, more than 2 GB of memory, a sanitizer's report.
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"
#include "fuzz/mutate.h"
#include "support/sanitized.h"
#include "support/temporary.h"

namespace foreflow::fuzz {
namespace {
namespace fs = std::filesystem;

using Words = std::vector<std::string>;

constexpr rlim_t kSeconds     = 10;
constexpr unsigned kPatience  = 120;                 // seconds on the clock
constexpr rlim_t kMemory      = rlim_t{4} << 30U;    // bytes of addresses
constexpr long kMostResident  = 2 << 20;             // KiB
constexpr rlim_t kLargestFile = rlim_t{256} << 20U;  // bytes
constexpr uint64_t kSeed      = 20250601;

uint64_t seed() {
  const char* given = std::getenv("FOREFLOW_SEED");
  return given == nullptr ? kSeed : std::strtoull(given, nullptr, 10);
}

// How the command takes an input of one form: the file's name, and the commands that read it, which take turns. In
// their words "@" stands for the input itself. Seeds are those of tests/fuzz/seeds unless files of the source tree are
// named.
struct Way {
  std::string file;
  std::vector<Words> commands;
  std::vector<std::string> seeds = {};
};

const std::map<std::string, Way>& ways() {
  static const std::map<std::string, Way> kWays = {
      {"calibration", {"in.json", {{"simulate", "calibrated.json"}}}},
      {"distir",
       {"in.distir",
        {{"check", "in.distir"},
         {"infer", "in.distir"},
         {"analyze", "in.distir"},
         {"execute", "in.distir"},
         {"lower", "in.distir", "-o", "lowered"},
         {"lower", "in.distir", "-o", "lowered", "--target", "pytorch"},
         {"simulate", "program.json"},
         {"transform", "in.distir", "--pass", "inline", "--pass", "resolve"}}}},
      {"distirb", {"in.distirb", {{"check", "in.distirb"}, {"analyze", "in.distirb"}, {"infer", "in.distirb"}}}},
      {"framework",
       {"in.json",
        {{"simulate", "framework.json"}, {"explain", "framework.json"}},
        {"frameworks/fsdp.json", "frameworks/megatron-lm.json", "frameworks/ddp.json"}}},
      {"import", {"in.txt", {{"platform", "--from", "in.txt"}}}},
      {"measurements", {"in.csv", {{"calibrate", "in.csv", "-o", "out.json"}}}},
      {"onnx", {"in.onnx", {{"import", "in.onnx"}, {"analyze", "in.onnx"}, {"evaluate", "in.onnx"}}}},
      {"platform", {"in.xml", {{"platform", "in.xml"}}}},
      {"profile", {"in.profile", {{"platform", "profiled.xml"}, {"simulate", "profiled.json", "--engine", "simgrid"}}}},
      {"published",
       {"in.csv",
        {{"calibrate", "--device", "A100-SXM4-80GB", "in.csv", "-o", "out.json"},
         {"calibrate", "--device", "V100-SXM2-16GB", "in.csv", "-o", "out.json"}}}},
      {"scenario", {"in.json", {{"simulate", "in.json", "--json", "-"}}}},
      {"search_store", {"in.sqlite", {{"search", "search.json", "--store", "in.sqlite", "--jobs", "1"}}}},
      {"setting",
       {"in.txt",
        {{"simulate", "small.json", "--set", "@"},
         {"search", "search.json", "--jobs", "1", "--set", "@"},
         {"platform", "dgx1", "--set", "@"}}}},
      {"sheet", {"in.json", {{"simulate", "device.json"}}}},
      {"store", {"in.sqlite", {{"sweep", "sweep.json", "--store", "in.sqlite", "--jobs", "1"}}}},
      {"tensor", {"in.pb", {{"evaluate", "relu.distir", "--input", "x=in.pb"}}}},
      {"trace", {"in.json", {{"calibrate", "in.json", "-o", "out.json"}}}},
  };
  return kWays;
}

// Files that the commands need beside the input.
void prepare(const std::string& folder) {
  const auto file = [&](const char* name, std::string_view text) { write_file(folder + "/" + name, text); };
  file("calibrated.json", R"({"workload": {"model": "mlp", "layers": 2, "hidden": 64}, "engine": "analytic",
    "platform": {"topology": "dgx1"}, "strategy": {"dp": 2, "global_batch": 8}, "cost": {"model": "in.json"}})");
  file("program.json",
       R"({"workload": {"distir": "in.distir"}, "engine": "analytic", "platform": {"topology": "dgx1"}})");
  file("search.json", R"({"workload": {"model": "mlp", "layers": 2, "hidden": 64}, "engine": "analytic",
    "platform": {"topology": "dgx1"}, "strategy": {"dp": [1, 2], "tp": [1, 2], "pp": 1, "global_batch": 8,
    "microbatches": 1, "recompute": "none", "zero": 0}})");
  file("sweep.json", R"({"workload": {"model": "mlp", "layers": 2, "hidden": 64}, "engine": "analytic",
    "platform": {"topology": "dgx1"}, "strategy": {"dp": [1, 2, 3], "global_batch": 8}})");
  const std::string small = R"("workload": {"model": "gpt", "layers": 2, "hidden": 16, "heads": 4, "sequence": 8,
    "vocabulary": 32}, "engine": "analytic", "strategy": {"dp": 2, "global_batch": 8})";
  const auto scenario     = [&](const char* name, const std::string& platform, const std::string& rest) {
    file(name, fmt::format(R"({{{}, "platform": {{{}}}{}}})", small, platform, rest));
  };
  scenario("small.json", R"("topology": "dgx1")", "");
  scenario("device.json", R"("topology": "dgx1", "device": "in.json")", "");
  scenario("framework.json", R"("topology": "dgx1")", R"(, "framework": "in.json")");
  scenario("profiled.json", R"("file": "profiled.xml")", "");
  file(
      "profiled.xml",
      R"(<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd"><platform version="4.1"><zone id="z" routing="Full">
    <host id="a" speed="1Tf" speed_file="in.profile"/><host id="b" speed="1Tf"/>
    <link id="l" bandwidth="1GBps" latency="1us" bandwidth_file="in.profile"/>
    <route src="a" dst="b"><link_ctn id="l"/></route></zone></platform>)");
  file("relu.distir", "func @main(%x) {\n  %y = Relu(%x)\n  return %y\n}\n");
}

class Command {
 public:
  Command(std::string program, std::string folder) : program_(std::move(program)), folder_(std::move(folder)) {}

  // Its status as waitpid has it, and the most memory that it held, in KiB; stderr is in the file `err` of the folder.
  struct Ended {
    int status;
    long resident;
  };
  Ended run(const Words& words) const {
    Words all = {program_};
    all.insert(all.end(), words.begin(), words.end());
    const pid_t child = ::fork();
    if (child == 0) become(std::move(all));
    int status = 0;
    rusage used{};
    while (::wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
    }
    return {status, used.ru_maxrss};
  }
  std::string messages() const { return read_file(folder_ + "/err"); }

 private:
  static void limit(int what, rlim_t most) {
    const rlimit both{most, most};
    ::setrlimit(what, &both);
  }

  [[noreturn]] void become(Words words) const {
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::chdir(folder_.c_str()) == 0 || (::_exit(126), false);
    ::dup2(::open("/dev/null", O_RDWR), STDIN_FILENO);
    ::dup2(STDIN_FILENO, STDOUT_FILENO);
    ::dup2(::open("err", O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    limit(RLIMIT_CPU, kSeconds);
    if (!test::kSanitized) limit(RLIMIT_AS, kMemory);
    limit(RLIMIT_FSIZE, kLargestFile);
    limit(RLIMIT_CORE, 0);
    ::alarm(kPatience);
    ::execv(argv[0], argv.data());
    ::_exit(126);
  }

  std::string program_, folder_;
};

enum class Verdict : uint8_t { taken, refused, slow, finding };

Verdict verdict_of(int status, long resident, const std::string& messages) {
  if (resident > kMostResident) return Verdict::finding;
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return signal == SIGXCPU || signal == SIGALRM || signal == SIGKILL ? Verdict::slow : Verdict::finding;
  }
  if (messages.find("signal 11") != std::string::npos || messages.find("internal error") != std::string::npos)
    return Verdict::finding;
  if (WEXITSTATUS(status) == 0) return Verdict::taken;
  const size_t error = messages.rfind("foreflow: error: ");
  const bool one     = error != std::string::npos && messages.find('\n', error) + 1 == messages.size();
  return WEXITSTATUS(status) == 1 && one ? Verdict::refused : Verdict::finding;
}

void keep(const std::string& form, int number, const std::string& input, const Words& words,
          const std::string& messages) {
  fs::create_directories("findings");
  const std::string path = fmt::format("findings/{}-{}", form, number);
  write_file(path, input);
  std::string line;
  for (const std::string& word : words) line += " " + word;
  std::cout << fmt::format("  {}: foreflow{}: {}\n", path, line, messages.substr(0, 300)) << std::flush;
}

int try_form(const std::string& form, const std::string& program, int count) {
  const auto known = ways().find(form);
  if (known == ways().end()) throw Error(form, "is no form that the command reads");
  const Way& way = known->second;
  const test::TemporaryFolder folder;
  prepare(folder.path().string());
  const Command command(program, folder.path().string());
  std::vector<std::string> seeds;
  for (const std::string& seed : way.seeds) seeds.push_back(read_file(FOREFLOW_SOURCE_DIR "/" + seed));
  if (seeds.empty()) seeds = read_seeds(form);
  const auto words = read_dictionary(form);
  if (form.ends_with("store")) {  // the seed is of another version
    command.run(way.commands.front());
    seeds = {read_file(folder / way.file)};
  }
  std::mt19937_64 random(seed());
  std::map<Verdict, int> counts;
  for (int i = 0; i < count; ++i) {
    const std::string input = mutated(seeds, words, random);
    write_file(folder / way.file, input);
    Words line = way.commands[static_cast<size_t>(i) % way.commands.size()];
    for (std::string& word : line) {
      if (word == "@") word = input.substr(0, input.find('\0'));
    }
    const auto [status, resident] = command.run(line);
    const std::string messages    = command.messages();
    const Verdict verdict         = verdict_of(status, resident, messages);
    ++counts[verdict];
    if (verdict == Verdict::finding || verdict == Verdict::slow)
      keep(form, i, input, line,
           verdict == Verdict::slow ? "slow" : fmt::format("status {}, {} MiB: {}", status, resident >> 10U, messages));
    for (const char* left : {"-wal", "-shm"}) fs::remove(folder / (way.file + left));
  }
  std::cout << fmt::format("{}: {} inputs: {} taken, {} refused, {} slow, {} findings\n", form, count,
                           counts[Verdict::taken], counts[Verdict::refused], counts[Verdict::slow],
                           counts[Verdict::finding])
            << std::flush;
  return counts[Verdict::finding] + counts[Verdict::slow];
}

}  // namespace
}  // namespace foreflow::fuzz

int main(int argc, char** argv) {
  using namespace foreflow::fuzz;
  if (argc < 3) {
    std::cerr << "mutated_inputs COMMAND COUNT [FORM...]\n";
    return 2;
  }
  try {
    const std::string program = std::filesystem::absolute(argv[1]).string();
    std::vector<std::string> names(argv + 3, argv + argc);
    if (names.empty()) {
      for (const auto& [form, way] : ways()) names.push_back(form);
    }
    int findings = 0;
    for (const std::string& name : names) findings += try_form(name, program, std::atoi(argv[2]));
    return findings == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
