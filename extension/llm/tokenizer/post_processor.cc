#include <executorch/extension/llm/tokenizer/post_processor.h>

namespace tokenizers {

bool PostProcessor::read(const Json& config, std::string& why, int depth) {
  const std::string type = type_of(config);
  if (type == "ByteLevel") {  // About offsets alone.
    return true;
  }
  if (type == "TemplateProcessing") {
    return read_template(config, why);
  }
  if (type == "BertProcessing" || type == "RobertaProcessing") {
    return read_around(config, why);
  }
  if (type != "Sequence" || !field(config, "processors").is_array() || depth == kDeepest) {
    why = "its post_processor '" + type + "' is not known, or not complete";
    return false;
  }
  for (const Json& part : field(config, "processors")) {
    if (!read(part, why, depth + 1)) {
      return false;
    }
  }
  return true;
}

bool PostProcessor::read_template(const Json& config, std::string& why) {
  const Json& special = field(config, "special_tokens");
  Template items;
  for (const Json& item : field(config, "single")) {
    if (item.is_object() && item.contains("Sequence")) {
      items.push_back({true, 0});
      continue;
    }
    const std::string name = text_field(field(item, "SpecialToken"), "id");
    const Json& ids = field(field(special, name.c_str()), "ids");
    uint64_t token = 0;
    if (!ids.is_array() || ids.empty()) {
      why = "its template has '" + name + "', which is not among its special tokens";
      return false;
    }
    for (const Json& id : ids) {
      if (!count_of(id, token)) {
        why = "the ids of '" + name + "' in its template are no tokens";
        return false;
      }
      items.push_back({false, token});
    }
  }
  templates_.push_back(std::move(items));
  return true;
}

/// ["[CLS]", 101] and ["[SEP]", 102].
bool PostProcessor::read_around(const Json& config, std::string& why) {
  Template items = {{false, 0}, {true, 0}, {false, 0}};
  for (const size_t i : {size_t{0}, size_t{2}}) {
    const Json& named = field(config, i == 0 ? "cls" : "sep");
    if (!named.is_array() || named.size() != 2 || !count_of(named[1], items[i].token)) {
      why = "its post_processor has no cls or sep with a name and a token";
      return false;
    }
  }
  templates_.push_back(std::move(items));
  return true;
}

bool PostProcessor::adds_tokens() const {
  for (const Template& items : templates_) {
    if (items.size() != 1 || !items[0].is_text) {
      return true;
    }
  }
  return false;
}

std::vector<uint64_t> PostProcessor::around(std::vector<uint64_t> tokens) const {
  for (const Template& items : templates_) {
    std::vector<uint64_t> processed;
    for (const Item& item : items) {
      if (item.is_text) {
        processed.insert(processed.end(), tokens.begin(), tokens.end());
      } else {
        processed.push_back(item.token);
      }
    }
    tokens = std::move(processed);
  }
  return tokens;
}

}  // namespace tokenizers
