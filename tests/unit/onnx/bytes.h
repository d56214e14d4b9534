// ONNX files byte by byte, written without the reader's own classes. Field numbers are those of onnx.proto.
#pragma once

#include <cctype>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace foreflow::test {

// A protobuf message under construction.
struct Wire {
  std::string text;

  Wire& varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) text += static_cast<char>(value | 0x80);
    text += static_cast<char>(value);
    return *this;
  }
  Wire& number(int field, int64_t value) {
    return varint(static_cast<uint64_t>(field) << 3).varint(static_cast<uint64_t>(value));
  }
  Wire& bytes(int field, std::string_view value) {
    varint(static_cast<uint64_t>(field) << 3 | 2).varint(value.size());
    text += value;
    return *this;
  }
  Wire& message(int field, const Wire& value) { return bytes(field, value.text); }
  Wire& real(int field, float value) {
    varint(static_cast<uint64_t>(field) << 3 | 5);
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    text.append(raw, sizeof value);
    return *this;
  }
};

enum : int64_t { kFloat = 1, kInt64 = 7, kString = 8, kBool = 9, kComplex64 = 14 };

template <class T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

inline Wire tensor(const std::string& name, int64_t type, const std::vector<int64_t>& dims) {
  Wire bytes;
  for (const int64_t dim : dims) bytes.number(1, dim);
  bytes.number(2, type);
  if (!name.empty()) bytes.bytes(8, name);
  return bytes;
}
inline Wire floats(const std::string& name, const std::vector<int64_t>& dims, const std::vector<float>& values) {
  return tensor(name, kFloat, dims).bytes(9, raw(values));
}
inline Wire ints(const std::string& name, const std::vector<int64_t>& dims, const std::vector<int64_t>& values) {
  return tensor(name, kInt64, dims).bytes(9, raw(values));
}

// Dimensions as text: "2" is a number, "batch" a name, "" is left out.
inline Wire port(const std::string& name, int64_t type, const std::vector<std::string>& dims) {
  Wire shape;
  for (const std::string& dim : dims) {
    Wire entry;
    if (!dim.empty() && (std::isdigit(static_cast<unsigned char>(dim[0])) != 0 || dim[0] == '-')) {
      entry.number(1, std::stoll(dim));
    } else if (!dim.empty()) {
      entry.bytes(2, dim);
    }
    shape.message(1, entry);
  }
  return Wire().bytes(1, name).message(2, Wire().message(1, Wire().number(1, type).message(2, shape)));
}

inline Wire int_attribute(const std::string& name, int64_t value) {
  return Wire().bytes(1, name).number(3, value).number(20, 2);
}
inline Wire float_attribute(const std::string& name, float value) {
  return Wire().bytes(1, name).real(2, value).number(20, 1);
}
inline Wire tensor_attribute(const std::string& name, const Wire& value) {
  return Wire().bytes(1, name).message(5, value).number(20, 4);
}
inline Wire floats_attribute(const std::string& name, const std::vector<float>& values) {
  Wire bytes;
  bytes.bytes(1, name);
  for (const float value : values) bytes.real(7, value);
  return bytes.number(20, 6);
}
inline Wire ints_attribute(const std::string& name, const std::vector<int64_t>& values) {
  Wire bytes;
  bytes.bytes(1, name);
  for (const int64_t value : values) bytes.number(8, value);
  return bytes.number(20, 7);
}

struct NodeText {
  std::string op;
  std::vector<std::string> inputs, outputs;
  std::vector<Wire> attributes = {};
  std::string name             = {};
  std::string domain           = {};
};

inline Wire node(const NodeText& text) {
  Wire bytes;
  for (const std::string& input : text.inputs) bytes.bytes(1, input);
  for (const std::string& output : text.outputs) bytes.bytes(2, output);
  if (!text.name.empty()) bytes.bytes(3, text.name);
  bytes.bytes(4, text.op);
  for (const Wire& attribute : text.attributes) bytes.message(5, attribute);
  if (!text.domain.empty()) bytes.bytes(7, text.domain);
  return bytes;
}

struct ModelText {
  std::vector<NodeText> nodes;
  std::vector<Wire> inputs              = {port("x", kFloat, {"2", "3"})};
  std::vector<std::string> outputs      = {"y"};
  std::vector<Wire> initializers        = {};
  std::vector<Wire> sparse_initializers = {};
  int64_t opset                         = 13;
  int64_t ir_version                    = 8;
  std::string graph_name                = "graph";
};

inline Wire graph(const ModelText& text) {
  Wire graph;
  for (const NodeText& entry : text.nodes) graph.message(1, node(entry));
  graph.bytes(2, text.graph_name);
  for (const Wire& initializer : text.initializers) graph.message(5, initializer);
  for (const Wire& input : text.inputs) graph.message(11, input);
  for (const std::string& output : text.outputs) graph.message(12, Wire().bytes(1, output));
  for (const Wire& sparse : text.sparse_initializers) graph.message(15, sparse);
  return graph;
}

inline Wire body_attribute(const std::string& name, const ModelText& body) {
  return Wire().bytes(1, name).message(6, graph(body)).number(20, 5);
}

inline std::string model(const ModelText& text) {
  Wire bytes;
  bytes.number(1, text.ir_version).message(7, graph(text));
  if (text.opset > 0) bytes.message(8, Wire().bytes(1, "").number(2, text.opset));
  return bytes.text;
}

}  // namespace foreflow::test
