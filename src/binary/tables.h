// The tables to which functions point: the strings, types and attributes of a message, checked and shared.
#pragma once

#include <string>
#include <vector>

#include "distir.pb.h"
#include "foreflow/binary/distirb.h"

namespace foreflow::binary {

namespace pb = distir_proto;

class Tables {
 public:
  // Throws Error(name, ...) at the first entry that text could not show. `message` and `name` outlive the tables.
  Tables(const pb::Module& message, const std::string& name);

  // By number, 0 being nothing. Each throws Error when there is no such entry.
  const std::string& text(uint32_t number) const;
  ir::TypeRef type(uint32_t number) const;
  ir::AttributesRef attributes(uint32_t number) const;

 private:
  [[noreturn]] void fail(const std::string& what) const { throw Error(name_, what); }
  void check(uint32_t number, size_t size, const char* kind) const;
  ir::DType dtype(uint32_t number) const;
  ir::Device device(const pb::Device& message) const;
  ir::Type read(const pb::Type& message, int depth) const;
  ir::Array read(const pb::Array& message) const;
  ir::Attribute read(const pb::Attribute& message) const;
  ir::Attributes read(const pb::Attributes& message) const;

  const std::string& name_;
  const pb::Module& message_;
  std::vector<ir::TypeRef> types_;
  std::vector<ir::AttributesRef> attributes_;
};

}  // namespace foreflow::binary
