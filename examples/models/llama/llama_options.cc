#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iomanip>
#include <limits>

#include <executorch/examples/models/llama/llama_options.h>

namespace executorch {
namespace examples {
namespace llama {
namespace {

/// One flag: how it is spelled, what it takes, what it does with a value (false: not such a value).
struct Flag {
  const char* name;
  const char* value;  // Name of the value in the help text; null for a switch.
  const char* help;
  bool (*apply)(Options& options, const std::string& value);
};

template <typename T>
bool parse_integer(const std::string& text, T& value) {
  char* end = nullptr;
  errno = 0;
  const long long number = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || errno != 0 ||
      number < static_cast<long long>(std::numeric_limits<T>::min()) ||
      (sizeof(T) < sizeof(number) &&
       number > static_cast<long long>(std::numeric_limits<T>::max()))) {
    return false;
  }
  value = static_cast<T>(number);
  return true;
}

bool parse_real(const std::string& text, float& value) {
  char* end = nullptr;
  value = std::strtof(text.c_str(), &end);
  return !text.empty() && *end == '\0' && value >= 0.0f;
}

bool parse_switch(const std::string& text, bool& value) {
  value = text == "true" || text == "1";
  return value || text == "false" || text == "0";
}

bool parse_list(const std::string& text, std::vector<std::string>& parts) {
  parts.clear();
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find(',', start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return true;
}

bool is_template(const std::string& name) {
  return name == "llama3" || name == "chatml" || name == "gemma" || name == "plain";
}

const Flag kFlags[] = {
    {"model_path", "FILE", "the program (llama2.pte)",
     [](Options& o, const std::string& v) {
       o.model_path = v;
       return !v.empty();
     }},
    {"tokenizer_path", "FILE",
     "a tokenizer.json, a model of SentencePiece, a file of tiktoken or llama2.c",
     [](Options& o, const std::string& v) {
       o.tokenizer_path = v;
       return !v.empty();
     }},
    {"data_paths", "FILE[,FILE...]", "weights that are not in the program (.ptd)",
     [](Options& o, const std::string& v) { return parse_list(v, o.data_paths); }},
    {"prompt", "TEXT", "what is continued",
     [](Options& o, const std::string& v) {
       o.prompt = v;
       return !v.empty();
     }},
    {"temperature", "NUMBER", "0 takes the most probable token every time (0.8)",
     [](Options& o, const std::string& v) { return parse_real(v, o.generation.temperature); }},
    {"top_p", "NUMBER", "only the most probable tokens up to this sum (0.9)",
     [](Options& o, const std::string& v) { return parse_real(v, o.generation.top_p); }},
    {"top_k", "COUNT", "only so many of the most probable tokens; 0 for all (0)",
     [](Options& o, const std::string& v) { return parse_integer(v, o.generation.top_k); }},
    {"min_p", "NUMBER", "only tokens that are so many times as probable as the first (0)",
     [](Options& o, const std::string& v) { return parse_real(v, o.generation.min_p); }},
    {"repetition_penalty", "NUMBER", "more than 1 makes tokens less probable that were there (1)",
     [](Options& o, const std::string& v) {
       return parse_real(v, o.generation.repetition_penalty) && o.generation.repetition_penalty > 0;
     }},
    {"seed", "NUMBER", "equal seeds choose equally; 0 takes one from the clock (0)",
     [](Options& o, const std::string& v) { return parse_integer(v, o.generation.seed); }},
    {"seq_len", "COUNT", "the most tokens of prompt and answer; -1 for what the model has (-1)",
     [](Options& o, const std::string& v) { return parse_integer(v, o.generation.seq_len); }},
    {"max_new_tokens", "COUNT", "the most tokens of an answer; -1 for no limit of its own (-1)",
     [](Options& o, const std::string& v) {
       return parse_integer(v, o.generation.max_new_tokens);
     }},
    {"num_bos", "COUNT", "tokens of begin in front of the prompt (0)",
     [](Options& o, const std::string& v) { return parse_integer(v, o.generation.num_bos); }},
    {"num_eos", "COUNT", "tokens of end behind it (0)",
     [](Options& o, const std::string& v) { return parse_integer(v, o.generation.num_eos); }},
    {"cpu_threads", "COUNT", "threads of the kernels; -1 for what suits the processor (-1)",
     [](Options& o, const std::string& v) { return parse_integer(v, o.cpu_threads); }},
    {"warmup", nullptr, "answers once without showing it before what is timed",
     [](Options& o, const std::string& v) { return parse_switch(v, o.warmup); }},
    {"chat", nullptr, "a conversation: a line of standard input is a turn, \"/reset\" begins anew",
     [](Options& o, const std::string& v) { return parse_switch(v, o.chat); }},
    {"chat_template", "NAME", "llama3, chatml, gemma or plain (llama3)",
     [](Options& o, const std::string& v) {
       o.chat_template = v;
       return is_template(v);
     }},
    {"system_prompt", "TEXT", "what a conversation begins with",
     [](Options& o, const std::string& v) {
       o.system_prompt = v;
       return true;
     }},
    {"verbose", nullptr, "shows what memory there is and the figures of each answer",
     [](Options& o, const std::string& v) { return parse_switch(v, o.verbose); }},
    {"help", nullptr, "shows this",
     [](Options& o, const std::string& v) { return parse_switch(v, o.help); }},
};

const Flag* find(const std::string& name) {
  for (const Flag& flag : kFlags) {
    if (name == flag.name) {
      return &flag;
    }
  }
  return nullptr;
}

}  // namespace

std::optional<Options> parse_options(int argc, const char* const* argv, std::ostream& errors) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    const size_t dashes = name.compare(0, 2, "--") == 0 ? 2 : name.compare(0, 1, "-") == 0 ? 1 : 0;
    const size_t equals = name.find('=');
    std::string value = equals == std::string::npos ? "" : name.substr(equals + 1);
    name = name.substr(0, equals).substr(dashes);
    const Flag* const flag = dashes == 0 ? nullptr : find(name);
    if (flag == nullptr) {
      errors << argv[i] << " is no flag; --help shows those there are\n";
      return std::nullopt;
    }
    if (equals == std::string::npos && flag->value == nullptr) {
      value = "true";
    } else if (equals == std::string::npos && i + 1 < argc) {
      value = argv[++i];
    }
    if (!flag->apply(options, value)) {
      errors << "--" << name << " takes "
             << (flag->value == nullptr ? "true or false" : flag->value) << ", not '" << value
             << "': " << flag->help << "\n";
      return std::nullopt;
    }
  }
  return options;
}

void print_help(std::ostream& out) {
  out << "Runs a language model: llama_main --model_path FILE --tokenizer_path FILE [--prompt "
         "TEXT]\n\n";
  for (const Flag& flag : kFlags) {
    const std::string name = std::string("--") + flag.name +
                             (flag.value == nullptr ? "" : std::string(" ") + flag.value);
    out << "  " << std::left << std::setw(28) << name << "  " << flag.help << "\n";
  }
}

std::string turn_of(const Options& options, const std::string& said, bool first) {
  const std::string& name = options.chat_template;
  const bool has_system = first && !options.system_prompt.empty();
  if (name == "llama3") {
    const auto part = [](const std::string& who, const std::string& text) {
      return "<|start_header_id|>" + who + "<|end_header_id|>\n\n" + text;
    };
    return std::string(first ? "<|begin_of_text|>" : "") +
           (has_system ? part("system", options.system_prompt) + "<|eot_id|>" : "") +
           part("user", said) + "<|eot_id|>" + part("assistant", "");
  }
  if (name == "chatml") {
    const auto part = [](const std::string& who, const std::string& text) {
      return "<|im_start|>" + who + "\n" + text;
    };
    return std::string(first ? "" : "\n") +
           (has_system ? part("system", options.system_prompt) + "<|im_end|>\n" : "") +
           part("user", said) + "<|im_end|>\n" + part("assistant", "");
  }
  if (name == "gemma") {
    const std::string system = has_system ? options.system_prompt + "\n\n" : "";
    return std::string(first ? "<bos>" : "\n") + "<start_of_turn>user\n" + system + said +
           "<end_of_turn>\n<start_of_turn>model\n";
  }
  return (has_system ? options.system_prompt + "\n" : "") + said;
}

}  // namespace llama
}  // namespace examples
}  // namespace executorch
