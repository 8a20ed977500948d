#include <set>
#include <vector>

#include <nlohmann/json.hpp>

#include <executorch/extension/llm/sampler/json_schema.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace llm {

using runtime::Error;
using runtime::Result;

namespace {

using Json = nlohmann::ordered_json;

constexpr int kDeepest = 32;
constexpr size_t kLargest = size_t{1} << 20;

constexpr char kCharacter[] = R"((?:[^"\\\x00-\x1F\x7F]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4}))";
constexpr char kInteger[] = R"(-?(?:0|[1-9][0-9]{0,18}))";
constexpr char kNumber[] = R"(-?(?:0|[1-9][0-9]{0,18})(?:\.[0-9]{1,18})?(?:[eE][+\-]?[0-9]{1,3})?)";
constexpr char kComma[] = ", ?";

/// A text as a pattern that matches it alone.
std::string literal(const std::string& text) {
  std::string pattern;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = byte >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || c == '_' || c == ' ';
    pattern += is_plain ? std::string(1, c) : std::string("\\") + c;
  }
  return pattern;
}

std::string any_of(const std::vector<std::string>& patterns) {
  std::string all;
  for (const std::string& pattern : patterns) {
    all += (all.empty() ? "" : "|") + pattern;
  }
  return "(?:" + all + ")";
}

std::string times(uint64_t least, const Json* most) {
  return "{" + std::to_string(least) + "," + (most == nullptr ? "" : most->dump()) + "}";
}

class Schema {
 public:
  explicit Schema(Json root) : root_(std::move(root)) {}

  Result<std::string> pattern() {
    const std::string made = pattern_of(root_, 0);
    if (error_.empty() && made.size() <= kLargest) {
      return made;
    }
    ET_LOG(Error, "The JSON schema cannot be used: %s",
           error_.empty() ? "it is too large" : error_.c_str());
    return Error::InvalidArgument;
  }

 private:
  std::string fail(const std::string& error) {
    error_ = error_.empty() ? error : error_;
    return std::string();
  }

  std::string pattern_of(const Json& schema, int depth) {
    if (!schema.is_object()) {
      return fail("a schema has to be an object, this is not: " + schema.dump());
    }
    if (depth > kDeepest) {
      return fail("it contains itself, or is too deep");
    }
    if (!knows_all(schema)) {
      return std::string();
    }
    if (schema.contains("$ref")) {
      return pattern_of_reference(schema["$ref"], depth);
    }
    if (schema.contains("const")) {
      return literal(schema["const"].dump());
    }
    if (schema.contains("enum")) {
      std::vector<std::string> values;
      for (const Json& value : schema["enum"]) {
        values.push_back(literal(value.dump()));
      }
      return values.empty() ? fail("an enum has no values") : any_of(values);
    }
    for (const char* name : {"anyOf", "oneOf"}) {
      if (schema.contains(name)) {
        std::vector<std::string> ways;
        for (const Json& way : schema[name]) {
          ways.push_back(pattern_of(way, depth + 1));
        }
        return ways.empty() ? fail(std::string(name) + " has no schemas") : any_of(ways);
      }
    }
    return pattern_of_types(schema, depth);
  }

  /// Whether each keyword is one that is understood, or that only explains.
  bool knows_all(const Json& schema) {
    static const std::set<std::string> known = {"type",
                                                "properties",
                                                "required",
                                                "items",
                                                "minItems",
                                                "maxItems",
                                                "minLength",
                                                "maxLength",
                                                "pattern",
                                                "enum",
                                                "const",
                                                "anyOf",
                                                "oneOf",
                                                "$ref",
                                                "$defs",
                                                "title",
                                                "default",
                                                "description",
                                                "examples",
                                                "$schema",
                                                "$id",
                                                "definitions",
                                                "additionalProperties",
                                                "$comment"};
    for (const auto& item : schema.items()) {
      if (known.count(item.key()) == 0) {
        fail("the keyword " + item.key() + " is not known here");
        return false;
      }
    }
    if (schema.contains("additionalProperties") && schema["additionalProperties"] != false) {
      fail("additionalProperties can only be false");
      return false;
    }
    return true;
  }

  std::string pattern_of_reference(const Json& reference, int depth) {
    const auto* const text = reference.get_ptr<const std::string*>();
    if (text == nullptr || text->empty() || (*text)[0] != '#') {
      return fail("a $ref has to begin with #, this does not: " + reference.dump());
    }
    // Without exceptions: a pointer that is none would throw one.
    const Json* found = &root_;
    for (size_t at = 1; at < text->size();) {
      const size_t end = std::min(text->find('/', at + 1), text->size());
      const std::string name = text->substr(at + 1, end - at - 1);
      if ((*text)[at] != '/' || !found->is_object() || !found->contains(name)) {
        return fail("there is no " + *text);
      }
      found = &(*found)[name];
      at = end;
    }
    return pattern_of(*found, depth + 1);
  }

  std::string pattern_of_types(const Json& schema, int depth) {
    if (!schema.contains("type")) {
      return fail("a schema has no type: " + schema.dump());
    }
    const Json& type = schema["type"];
    if (!type.is_array()) {
      return pattern_of_type(schema, type, depth);
    }
    std::vector<std::string> ways;
    for (const Json& one : type) {
      ways.push_back(pattern_of_type(schema, one, depth));
    }
    return ways.empty() ? fail("a list of types is empty") : any_of(ways);
  }

  std::string pattern_of_type(const Json& schema, const Json& type, int depth) {
    if (type == "object") {
      return pattern_of_object(schema, depth);
    }
    if (type == "array") {
      return pattern_of_array(schema, depth);
    }
    if (type == "string") {
      return pattern_of_string(schema);
    }
    if (type == "integer") {
      return kInteger;
    }
    if (type == "number") {
      return kNumber;
    }
    if (type == "boolean") {
      return "(?:true|false)";
    }
    return type == "null" ? "null" : fail("there is no type " + type.dump());
  }

  bool count(const Json& schema, const char* name, const Json*& value) {
    value = schema.contains(name) ? &schema[name] : nullptr;
    if (value != nullptr && !value->is_number_unsigned()) {
      fail(std::string(name) + " has to be a whole number");
      return false;
    }
    return true;
  }

  std::string pattern_of_string(const Json& schema) {
    if (schema.contains("pattern")) {
      const auto* const text = schema["pattern"].get_ptr<const std::string*>();
      if (text == nullptr) {
        return fail("a pattern has to be a text");
      }
      std::string inner = *text;
      inner = !inner.empty() && inner.front() == '^' ? inner.substr(1) : inner;
      inner = !inner.empty() && inner.back() == '$' ? inner.substr(0, inner.size() - 1) : inner;
      return "\"(?:" + inner + ")\"";
    }
    const Json* least = nullptr;
    const Json* most = nullptr;
    if (!count(schema, "minLength", least) || !count(schema, "maxLength", most)) {
      return std::string();
    }
    return std::string("\"") + kCharacter +
           times(least == nullptr ? 0 : least->get<uint64_t>(), most) + "\"";
  }

  std::string pattern_of_array(const Json& schema, int depth) {
    const Json* least = nullptr;
    const Json* most = nullptr;
    if (!schema.contains("items")) {
      return fail("an array has no items: " + schema.dump());
    }
    if (!count(schema, "minItems", least) || !count(schema, "maxItems", most)) {
      return std::string();
    }
    const uint64_t fewest = least == nullptr ? 0 : least->get<uint64_t>();
    if (most != nullptr && *most == 0) {
      return fewest == 0 ? R"(\[\])" : fail("minItems is more than maxItems");
    }
    const std::string item = pattern_of(schema["items"], depth + 1);
    const Json behind = most == nullptr ? Json() : Json(most->get<uint64_t>() - 1);
    const std::string items =
        item + "(?:" + kComma + item + ")" +
        times(fewest == 0 ? 0 : fewest - 1, most == nullptr ? nullptr : &behind);
    return R"(\[)" + (fewest == 0 ? "(?:" + items + ")?" : items) + R"(\])";
  }

  /// Members in their order. What may be left out makes the comma before the next one uncertain, so
  /// there are two patterns of the rest: behind a member, and at the beginning.
  std::string pattern_of_object(const Json& schema, int depth) {
    if (!schema.contains("properties") || !schema["properties"].is_object()) {
      return fail("an object has no properties: " + schema.dump());
    }
    std::set<std::string> required;
    if (schema.contains("required")) {
      for (const Json& name : schema["required"]) {
        required.insert(name.is_string() ? name.get<std::string>() : std::string());
      }
    }
    std::vector<std::pair<std::string, bool>> members;
    for (const auto& item : schema["properties"].items()) {
      members.emplace_back(
          literal(Json(item.key()).dump()) + ": ?" + pattern_of(item.value(), depth + 1),
          required.erase(item.key()) > 0);
    }
    if (!required.empty()) {
      return fail("a property is required but not described: " + *required.begin());
    }
    // Both rests are in the pattern of what stands before them: only up to the first that is there.
    std::string behind;
    std::string first;
    for (size_t i = members.size(); i-- > 0;) {
      const auto& [member, is_required] = members[i];
      first = is_required ? member + behind
                          : "(?:" + member + behind + (first.empty() ? ")?" : "|" + first + ")");
      const std::string with_comma = kComma + member;
      behind = (is_required ? with_comma : "(?:" + with_comma + ")?") + behind;
      if (first.size() > kLargest) {
        return fail("it is too large");
      }
    }
    return R"(\{)" + first + R"(\})";
  }

  const Json root_;
  std::string error_;
};

}  // namespace

Result<std::string> pattern_of_json_schema(const std::string& schema) {
  Json parsed = Json::parse(schema, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded()) {
    ET_LOG(Error, "The JSON schema is no JSON");
    return Error::InvalidArgument;
  }
  return Schema(std::move(parsed)).pattern();
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch
