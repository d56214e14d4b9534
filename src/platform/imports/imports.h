// The formats that platforms are imported from, and the steps that several of them share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foreflow/platform/import.h"
#include "platform/blueprint.h"

namespace foreflow::platform::imports {

// A file with its name for messages.
struct Text {
  const std::string& text;
  const std::string& file;

  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_at(size_t line, const std::string& what) const;  // counted from 1
};

struct Reader {
  ImportFormat format;
  bool (*recognises)(std::string_view text);
  Imported (*read)(const Text& text, const ImportOptions& options);
};

Reader nvidia_smi();
Reader rocm_smi();
Reader hwloc();
Reader astra_sim();

// A server, as a file tells it.
struct Server {
  Node node;
  std::vector<std::string> assumed;
};

// The data sheet of the user, or else `guess`, which is then assumed.
DataSheet sheet_or(const ImportOptions& options, std::string_view guess, std::string_view why,
                   std::vector<std::string>& assumed);

// The data sheet of the user, or else that of what a driver calls "NVIDIA H100 80GB HBM3"; what is guessed is assumed.
DataSheet sheet_of_model(const std::string& model, const ImportOptions& options, std::vector<std::string>& assumed);

// PCIe as devices of this kind have it, x16.
Port pcie_of(const DataSheet& sheet);
// GB/s each way of one NVLink of this generation.
BytesPerSecond nvlink_rate(int generation);

// The rate of the user's network, or else one that is assumed.
Port nic_of(const ImportOptions& options, std::vector<std::string>& assumed);

// A card for each name, behind a PCIe link at `vertex`.
void add_card(Node& node, const std::string& name, const Port& nic, int vertex);
// Adds one card at `vertex`, for a file that names none.
void assume_card(Server& server, const ImportOptions& options, int vertex);

// A name of a file as part of a platform: letters, digits and "_.:-" stay, everything else is "_".
std::string plain(const std::string& name);

// `options.nodes` copies of the server, on a switch that does not block. Throws Error where two parts have one name.
Imported write_servers(Server server, const ImportOptions& options, const Text& text);

// Lines without what follows them; terminal colours are left out, also those without their escape character.
std::vector<std::string> lines_of(std::string_view text);
std::vector<std::string> words_of(std::string_view line);

constexpr int kMostOfServer = 256;  // accelerators and cards of a server

}  // namespace foreflow::platform::imports
