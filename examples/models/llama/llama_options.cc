#include <executorch/examples/models/llama/llama_options.h>
#include <executorch/extension/flags/flags.h>

namespace executorch {
namespace examples {
namespace llama {

namespace flags = extension::flags;
using flags::Flag;
using flags::parse_integer;
using flags::parse_real;
using flags::parse_switch;
using flags::parse_text;
using flags::split_at_commas;

namespace {

bool is_template(const std::string& name) {
  return name == "llama3" || name == "chatml" || name == "gemma" || name == "plain";
}

const Flag<Options> kFlags[] = {
    {"model_path", "FILE", "the program (llama2.pte)",
     [](Options& o, const std::string& v) { return parse_text(v, o.model_path); }},
    {"tokenizer_path", "FILE",
     "a tokenizer.json, a model of SentencePiece, a file of tiktoken or llama2.c",
     [](Options& o, const std::string& v) { return parse_text(v, o.tokenizer_path); }},
    {"data_paths", "FILE[,FILE...]", "weights that are not in the program (.ptd)",
     [](Options& o, const std::string& v) {
       o.data_paths = split_at_commas(v);
       return true;
     }},
    {"method_name", "NAME", "the method that gives logits of tokens (forward)",
     [](Options& o, const std::string& v) { return parse_text(v, o.method_name); }},
    {"prefill_method_name", "NAME", "that of prompts, if it is another one over the same cache",
     [](Options& o, const std::string& v) { return parse_text(v, o.prefill_method_name); }},
    {"prompt", "TEXT", "what is continued",
     [](Options& o, const std::string& v) { return parse_text(v, o.prompt); }},
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
    {"chat_template", "llama3|chatml|gemma|plain", "the words around what is said (llama3)",
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

}  // namespace

std::optional<Options> parse_options(int argc, const char* const* argv, std::ostream& errors) {
  Options options;
  if (!flags::parse(argc, argv, kFlags, options, errors)) {
    return std::nullopt;
  }
  return options;
}

void print_help(std::ostream& out) {
  out << "Runs a language model: llama_main --model_path FILE --tokenizer_path FILE [--prompt "
         "TEXT]\n\n";
  flags::print_help(out, kFlags);
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
