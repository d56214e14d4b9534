#include <algorithm>

#include "scenario/keys/sections.h"

namespace foreflow::scenario {
namespace {

Keys with_key(const Keys& keys, const KeyDef& key) {
  Keys all = {key};
  all.insert(all.end(), keys.begin(), keys.end());
  return all;
}

}  // namespace

Keys together(const std::vector<Variant>& all) {
  Keys keys;
  for (const Variant& variant : all) {
    for (const KeyDef& key : variant.keys) {
      const auto same = [&](const KeyDef& other) { return other.name == key.name; };
      if (std::none_of(keys.begin(), keys.end(), same)) keys.push_back(key);
    }
  }
  return keys;
}

ValueType variants(const KeyDef& key, const std::vector<Variant>& all) {
  std::vector<ValueType> forms, values;
  const auto form = [&](const Keys& keys, const ValueType& type, bool may_be_absent) {
    const KeyDef own{key.name, key.doc, type, key.otherwise};
    const std::vector<std::string> required =
        may_be_absent ? std::vector<std::string>{} : std::vector<std::string>{key.name};
    forms.push_back(types::object_of(with_key(keys, own), "an object", required));
  };
  for (const Variant& variant : all) {
    form(variant.keys, variant.values, variant.usual);
    values.push_back(variant.values);
  }
  form(together(all), types::list_of(types::either(values), "a list"), false);
  ValueType type = types::either(forms);
  type.words     = "an object";
  return type;
}

}  // namespace foreflow::scenario
