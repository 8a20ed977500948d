#include <charconv>

#include <executorch/extension/executor_runner/options.h>
#include <executorch/extension/flags/flags.h>

namespace executorch {
namespace extension {
namespace executor_runner {

using flags::Flag;
using flags::parse_integer;
using flags::parse_switch;
using flags::parse_text;
using flags::split_at_commas;

namespace {

/// Sizes with an x between them; none for an empty text.
bool parse_shape(const std::string& text, std::vector<int32_t>& shape) {
  const char* next = text.data();
  const char* const end = text.data() + text.size();
  while (next != end) {
    int32_t size = 0;
    const auto result = std::from_chars(next, end, size);
    const bool is_last = result.ptr == end;
    if (result.ec != std::errc() || size < 0 || (!is_last && *result.ptr != 'x')) {
      return false;
    }
    shape.push_back(size);
    next = is_last ? end : result.ptr + 1;
    if (!is_last && next == end) {
      return false;
    }
  }
  return true;
}

bool parse_print_output(const std::string& text, PrintOutput& value) {
  bool wanted = false;
  if (text == "all") {
    value = PrintOutput::kAll;
  } else if (text == "summary") {
    value = PrintOutput::kSummary;
  } else if (text == "none") {
    value = PrintOutput::kNone;
  } else if (parse_switch(text, wanted)) {
    value = wanted ? PrintOutput::kSummary : PrintOutput::kNone;
  } else {
    return false;
  }
  return true;
}

bool parse_load_mode(const std::string& text, Module::LoadMode& mode) {
  if (text == "file") {
    mode = Module::LoadMode::File;
  } else if (text == "mmap") {
    mode = Module::LoadMode::Mmap;
  } else if (text == "mmap_mlock") {
    mode = Module::LoadMode::MmapUseMlock;
  } else if (text == "mmap_mlock_ignore_errors") {
    mode = Module::LoadMode::MmapUseMlockIgnoreErrors;
  } else {
    return false;
  }
  return true;
}

const Flag<Options> kFlags[] = {
    {"model_path", "FILE",
     "The program to run (default: the one that --single_file has put here, else model.pte).",
     [](Options& o, const std::string& v) { return parse_text(v, o.model_path); }},
    {"data_path", "FILE[,FILE...]", "External data (.ptd) that the program needs.",
     [](Options& o, const std::string& v) {
       o.data_paths = split_at_commas(v);
       return true;
     }},
    {"method_name", "NAME", "The method to run (default: forward, or the only method there is).",
     [](Options& o, const std::string& v) { return parse_text(v, o.method_name); }},
    {"inputs", "FILE[,FILE...]",
     "Raw bytes, one file for each tensor input, in its dtype and dim order. A file that holds N "
     "samples "
     "one after another makes N runs; one with a single sample serves all of them. Without this "
     "flag "
     "every element of every input is one.",
     [](Options& o, const std::string& v) {
       o.inputs = split_at_commas(v);
       return true;
     }},
    {"input_shapes", "SHAPE[,SHAPE...]",
     "Sizes of the tensor inputs of a program with dynamic shapes, such as 1x3x224x224,1x20; an "
     "empty one, and all without this flag, are the largest that the program takes. A file of "
     "--inputs may have the bytes of the largest: the rest is not read.",
     [](Options& o, const std::string& v) {
       o.input_shapes.clear();
       for (const std::string& shape : split_at_commas(v)) {
         if (!parse_shape(shape, o.input_shapes.emplace_back())) {
           return false;
         }
       }
       return true;
     }},
    {"outputs", "FILE[,FILE...]",
     "Where to write raw outputs, one file each, all samples one after another.",
     [](Options& o, const std::string& v) {
       o.outputs = split_at_commas(v);
       return true;
     }},
    {"output_dir", "DIR",
     "The same under fixed names: DIR/output_0.bin, DIR/output_1.bin and so on.",
     [](Options& o, const std::string& v) { return parse_text(v, o.output_dir); }},
    {"num_executions", "N", "How often to run each sample (default: 1).",
     [](Options& o, const std::string& v) {
       return parse_integer(v, o.num_executions) && o.num_executions > 0;
     }},
    {"warmup", "N",
     "How often to run the first sample beforehand, outside the timing (default: 0).",
     [](Options& o, const std::string& v) { return parse_integer(v, o.warmup); }},
    {"threads", "N",
     "How many threads share the work (default: 0, as many as suit the machine; 1 uses no pool).",
     [](Options& o, const std::string& v) { return parse_integer(v, o.threads); }},
    {"cpu_threads", "N", "The older name of --threads.",
     [](Options& o, const std::string& v) { return parse_integer(v, o.threads); }},
    {"print_output", "all|summary|none", "How much of the outputs to print (default: summary).",
     [](Options& o, const std::string& v) { return parse_print_output(v, o.print_output); }},
    {"load_mode", "file|mmap|mmap_mlock|mmap_mlock_ignore_errors",
     "How files come into memory (default: file).",
     [](Options& o, const std::string& v) { return parse_load_mode(v, o.load_mode); }},
    {"verification", "minimal|internal_consistency",
     "How thoroughly to check the file (default: internal_consistency).",
     [](Options& o, const std::string& v) {
       o.strict_verification = v == "internal_consistency";
       return o.strict_verification || v == "minimal";
     }},
    {"etdump_path", "FILE",
     "Record what happens, with times, as an ETDump for executorch.devtools.Inspector.",
     [](Options& o, const std::string& v) { return parse_text(v, o.etdump_path); }},
    {"debug_output_path", "FILE",
     "Also record the values of operators and outputs; the Inspector's debug buffer. Runs take "
     "longer.",
     [](Options& o, const std::string& v) { return parse_text(v, o.debug_output_path); }},
    {"single_file", "FILE",
     "Run nothing: write FILE, this program with the model in it, which runs that model.",
     [](Options& o, const std::string& v) { return parse_text(v, o.single_file); }},
    {"json", nullptr, "End with one line of JSON: sizes, load time, time per execution.",
     [](Options& o, const std::string& v) { return parse_switch(v, o.json); }},
    {"help", nullptr, "Print this text.",
     [](Options& o, const std::string& v) { return parse_switch(v, o.help); }},
};

}  // namespace

std::optional<Options> parse_options(int argc, const char* const* argv, std::ostream& errors) {
  Options options;
  if (!flags::parse(argc, argv, kFlags, options, errors)) {
    return std::nullopt;
  }
  if (!options.outputs.empty() && !options.output_dir.empty()) {
    errors << "--outputs and --output_dir exclude each other\n";
    return std::nullopt;
  }
  if (options.etdump_path.empty() && !options.debug_output_path.empty()) {
    errors << "--debug_output_path needs --etdump_path, which says where its values belong\n";
    return std::nullopt;
  }
  return options;
}

void print_help(std::ostream& out) {
  out << "Runs a method of an ExecuTorch program.\n\n"
         "  executor_runner --model_path=model.pte [flags]\n\n";
  flags::print_help(out, kFlags);
  out << "\nExit status: 0 success, 1 the program cannot be loaded or run, 2 wrong flags, 3 an "
         "input or\n"
         "output file cannot be used.\n";
}

}  // namespace executor_runner
}  // namespace extension
}  // namespace executorch
