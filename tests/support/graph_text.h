// Platforms in graph form for tests, written as XML vertex by vertex and cable by cable.
#pragma once

#include <string>

namespace foreflow::test {

// Vertices before cables, as the file form wants it.
class GraphText {
 public:
  GraphText& zone_prop(const std::string& id, const std::string& value);
  GraphText& device(const std::string& name, const std::string& node) { return device(name, node, ""); }
  // `props`: further <prop> elements.
  GraphText& device(const std::string& name, const std::string& node, const std::string& props);
  GraphText& router(const std::string& name);
  // A full-duplex cable "FROM-TO" of one link; it carries messages from `from` up.
  GraphText& cable(const std::string& from, const std::string& to, const std::string& kind) {
    return cable(from, to, kind, 1, "25GBps", "1us");
  }
  // Of `links` equal links, one after the other.
  GraphText& cable(const std::string& from, const std::string& to, const std::string& kind, int links,
                   const std::string& bandwidth, const std::string& latency);
  GraphText& raw(const std::string& xml);

  std::string xml() const;

 private:
  std::string props_, vertices_, links_, routes_;
};

// <prop id="ID" value="VALUE"/>
std::string prop(const std::string& id, const std::string& value);

}  // namespace foreflow::test
