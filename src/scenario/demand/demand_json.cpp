#include "foreflow/scenario/demand.h"
#include "scenario/library.h"

namespace foreflow::scenario {
namespace {

// The part of it that a bound needs, without how a time was found.
Json measured_json(const std::vector<stream::TimeOnNodes>& measured) {
  Json all = Json::array();
  for (const stream::TimeOnNodes& one : measured) {
    Json row = Json::object().set("nodes", one.nodes);
    if (one.time) row.set("time", one.time->value());
    all.push(std::move(row));
  }
  return all;
}

std::vector<stream::TimeOnNodes> read_measured(const JsonView& json) {
  std::vector<stream::TimeOnNodes> all;
  for (const JsonView& item : json.items()) {
    stream::TimeOnNodes& one = all.emplace_back(
        stream::TimeOnNodes{static_cast<int>(item.at("nodes").as_int()), std::nullopt, std::string_view()});
    if (item.has("time")) one.time = Seconds(item.at("time").as_number());
  }
  return all;
}

Json messages_json(const std::vector<Message>& messages) {
  Json all = Json::array();
  for (const Message& message : messages) {
    Json ranks = Json::array();
    for (const int rank : message.ranks) ranks.push(rank);
    Json one = Json::object()
                   .set("kind", static_cast<int>(message.kind))
                   .set("algorithm", message.algorithm->name)
                   .set("ranks", std::move(ranks))
                   .set("bytes", message.bytes.value())
                   .set("count", message.count);
    if (!message.measured.empty()) one.set("measured", measured_json(message.measured));
    all.push(std::move(one));
  }
  return all;
}

std::vector<Message> read_messages(const JsonView& json) {
  std::vector<Message> all;
  for (const JsonView& item : json.items()) {
    std::vector<int> ranks;
    for (const JsonView& rank : item.at("ranks").items()) ranks.push_back(static_cast<int>(rank.as_int()));
    all.push_back({static_cast<collective::Kind>(item.at("kind").as_int()),
                   &algorithm_named(item.at("algorithm").as_string(), item.where()), std::move(ranks),
                   Bytes(item.at("bytes").as_number()), item.at("count").as_int(),
                   item.has("measured") ? read_measured(item.at("measured")) : std::vector<stream::TimeOnNodes>()});
  }
  return all;
}

}  // namespace

Json to_json(const Demand& demand) {
  Json json, parts = Json::array();
  for (const auto& [samples, part] : demand.parts) {
    parts.push(Json::object()
                   .set("samples", samples)
                   .set("compute", part.compute.value())
                   .set("messages", part.messages.value())
                   .set("working_set", part.working_set.value())
                   .set("network", messages_json(part.network)));
  }
  json.set("samples", demand.samples).set("weights", demand.weights.value()).set("data", demand.data.value());
  json.set("result", demand.result.value()).set("activations", demand.activations.value());
  json.set("states", demand.states.value()).set("held", demand.held.value());
  json.set("backward_set", demand.backward_set.value()).set("gradients", demand.gradients.value());
  json.set("once", demand.once.value()).set("whole", demand.whole.value());
  json.set("of_copies", Json::object()
                            .set("gradients", demand.of_copies.gradients.value())
                            .set("time", demand.of_copies.time.value())
                            .set("sums", messages_json(demand.of_copies.sums)));
  return json.set("sums", messages_json(demand.sums)).set("parts", std::move(parts));
}

Demand read_demand(const JsonView& json) {
  Demand demand;
  const auto bytes    = [&](std::string_view key) { return Bytes(json.at(key).as_number()); };
  demand.samples      = json.at("samples").as_int();
  demand.weights      = bytes("weights");
  demand.data         = bytes("data");
  demand.result       = bytes("result");
  demand.activations  = bytes("activations");
  demand.states       = bytes("states");
  demand.held         = bytes("held");
  demand.backward_set = bytes("backward_set");
  demand.gradients    = bytes("gradients");
  demand.once         = Seconds(json.at("once").as_number());
  demand.whole        = Seconds(json.at("whole").as_number());
  demand.sums         = read_messages(json.at("sums"));
  const auto copies   = json.at("of_copies");
  demand.of_copies    = {Bytes(copies.at("gradients").as_number()), Seconds(copies.at("time").as_number()),
                         read_messages(copies.at("sums"))};
  for (const JsonView& item : json.at("parts").items()) {
    demand.parts[item.at("samples").as_int()] = {
        Seconds(item.at("compute").as_number()), Seconds(item.at("messages").as_number()),
        Bytes(item.at("working_set").as_number()), read_messages(item.at("network"))};
  }
  return demand;
}

}  // namespace foreflow::scenario
