#include "support/reshard_cases.h"

#include "foreflow/base/text.h"
#include "support/data.h"

namespace foreflow::test {
namespace {

constexpr int kDevicesOfNode = 4;

reshard::Spec spec_of(const JsonView& letters) {
  std::string text;
  for (const JsonView& letter : letters.items()) text += letter.as_string();
  return reshard::parse_spec(text, letters.where());
}

// A mesh of (hosts, devices of each) from node `first` on; where a row has less than four, the node has idle devices.
reshard::Mesh mesh_of(const JsonView& shape, int first) {
  reshard::Mesh mesh;
  for (const JsonView& extent : shape.items()) mesh.shape.push_back(static_cast<int>(extent.as_int()));
  for (int row = 0; row < mesh.shape[0]; ++row) {
    for (int column = 0; column < mesh.shape[1]; ++column)
      mesh.devices.push_back((first + row) * kDevicesOfNode + column);
  }
  return mesh;
}

ReshardCase read(std::string name, const JsonView& view) {
  ReshardCase result{std::move(name), {}, view.json(), Seconds(view.at("t_seconds_at_10Gbps").as_number())};
  reshard::Move& move = result.move;
  for (const JsonView& extent : view.at("shape").items()) move.tensor.shape.push_back(extent.as_int());
  move.tensor.element = Bytes(4);
  move.from           = {mesh_of(view.at("src_mesh"), 0), spec_of(view.at("src_spec"))};
  move.to             = {mesh_of(view.at("dst_mesh"), move.from.mesh.shape[0]), spec_of(view.at("dst_spec"))};
  return result;
}

}  // namespace

Seconds ReshardCase::expected(const std::string& column) const {
  return JsonView(facts, name).at("in_units_of_t").at(column).as_number() * t;
}

std::vector<ReshardCase> reshard_cases() {
  const std::string path = data("reshard_cases.json");
  const Json all         = parse_json(read_file(path), path);
  std::vector<ReshardCase> cases;
  for (const auto& [name, view] : JsonView(all, path).members())
    cases.push_back(read(name.substr(0, name.find('*')), view));
  return cases;
}

std::map<int, int> hosts_of_four(const reshard::Move& move) {
  std::map<int, int> hosts;
  for (const auto* layout : {&move.from, &move.to}) {
    for (const int device : layout->mesh.devices) hosts.emplace(device, device / kDevicesOfNode);
  }
  return hosts;
}

}  // namespace foreflow::test
