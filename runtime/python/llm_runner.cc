#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <executorch/extension/llm/runner/irunner.h>
#include <executorch/extension/llm/runner/llm_runner_helper.h>
#include <executorch/extension/llm/runner/stats.h>
#include <executorch/extension/llm/runner/text_session.h>
#include <executorch/runtime/python/llm_callbacks.h>
#include <executorch/runtime/python/llm_multimodal.h>
#include <executorch/runtime/python/llm_runner.h>
#include <executorch/runtime/python/llm_turns.h>
#include <executorch/runtime/python/py_arguments.h>
#include <executorch/runtime/python/py_class.h>
#include <executorch/runtime/python/py_fields.h>
#include <executorch/runtime/python/py_object.h>

namespace executorch {
namespace runtime {
namespace python {
namespace {

using ::executorch::extension::llm::GenerationConfig;
using ::executorch::extension::llm::Stats;

/// With all that were forked of it.
class TextRunner : public Turns<extension::llm::TextSession> {
 public:
  static constexpr char kName[] = "TextLLMRunner";

  TextRunner(std::unique_ptr<extension::llm::TextSession> session, const TextRunner& forked)
      : Turns(std::move(session), forked) {}

  TextRunner(const std::string& model_path, const std::string& tokenizer_path,
             const std::vector<std::string>& data_files,
             const std::optional<extension::llm::DraftOptions>& draft,
             const extension::llm::DecoderMethods& methods)
      : Turns(model_path, tokenizer_path, [&](auto tokenizer) {
          return extension::llm::create_text_session(model_path, std::move(tokenizer), data_files,
                                                     /*temperature=*/-1.0f, draft, methods);
        }) {}

  void seek(int64_t position) {
    in_turn("going back in a conversation", [&] { return runner_->seek(position); });
  }

  void save(const std::string& path) {
    in_turn("writing a prompt cache", [&] { return runner_->save(path); });
  }

  void restore(const std::string& path) {
    in_turn("reading a prompt cache", [&] { return runner_->restore(path); });
  }

  std::shared_ptr<TextRunner> fork() {
    std::unique_ptr<extension::llm::TextSession> made;
    in_turn("forking a conversation", [&] {
      auto forked = runner_->fork();
      if (forked.ok()) {
        made = std::move(*forked);
      }
      return forked.error();
    });
    return std::make_shared<TextRunner>(std::move(made), *this);
  }

  std::vector<uint64_t> tokens() {
    const std::unique_lock<std::mutex> turn = take_turn(*in_use_);
    return runner_->tokens();
  }

  bool is_loaded() const { return runner_->is_loaded(); }
};

using PyRunner = Held<TextRunner>;

// --- GenerationConfig ---

template <auto kMember>
constexpr Field<GenerationConfig> config_field(const char* title) {
  return field<GenerationConfig, kMember>(title + sizeof("GenerationConfig"), title);
}

/// In the order of the parameters of `__init__`.
Field<GenerationConfig> kConfigFields[] = {
    config_field<&GenerationConfig::echo>("GenerationConfig.echo"),
    config_field<&GenerationConfig::max_new_tokens>("GenerationConfig.max_new_tokens"),
    config_field<&GenerationConfig::warming>("GenerationConfig.warming"),
    config_field<&GenerationConfig::seq_len>("GenerationConfig.seq_len"),
    config_field<&GenerationConfig::temperature>("GenerationConfig.temperature"),
    config_field<&GenerationConfig::num_bos>("GenerationConfig.num_bos"),
    config_field<&GenerationConfig::num_eos>("GenerationConfig.num_eos"),
    config_field<&GenerationConfig::ignore_eos>("GenerationConfig.ignore_eos"),
    config_field<&GenerationConfig::top_p>("GenerationConfig.top_p"),
    config_field<&GenerationConfig::top_k>("GenerationConfig.top_k"),
    config_field<&GenerationConfig::min_p>("GenerationConfig.min_p"),
    config_field<&GenerationConfig::repetition_penalty>("GenerationConfig.repetition_penalty"),
    config_field<&GenerationConfig::seed>("GenerationConfig.seed"),
    config_field<&GenerationConfig::pattern>("GenerationConfig.pattern"),
    config_field<&GenerationConfig::json_schema>("GenerationConfig.json_schema"),
};
constexpr size_t kConfigFieldCount = std::size(kConfigFields);
auto config_attributes = attributes_of(kConfigFields);

void init_config(GenerationConfig& self, const Call& call) {
  Parameters<kConfigFieldCount> parameters = {"GenerationConfig", 0, {}, 7};
  for (size_t i = 0; i < kConfigFieldCount; ++i) {
    parameters.names[i] = kConfigFields[i].name;
  }
  const Arguments<kConfigFieldCount> arguments(call, parameters);
  GenerationConfig config;
  for (size_t i = 0; i < kConfigFieldCount; ++i) {
    if (arguments.object(i) != nullptr) {
      kConfigFields[i].set(config, arguments.object(i),
                           argument_title(parameters.function, parameters.names[i]));
    }
  }
  self = config;
}

Object resolve_max_new_tokens(GenerationConfig& self, const Call& call) {
  constexpr Parameters<2> kParameters = {
      "resolve_max_new_tokens", 2, {"max_context_len", "num_tokens_occupied"}};
  const Arguments<2> arguments(call, kParameters);
  const auto length = arguments.whole<int32_t>(0);
  return to_python(self.resolve_max_new_tokens(length, arguments.whole<int32_t>(1)));
}

/// A field as it is written in a call; numbers with the digits that a float has.
std::string shown(PyObject* value) {
  if (PyUnicode_Check(value)) {
    return described(checked(PyObject_Repr(value)).get());
  }
  if (!PyFloat_Check(value)) {
    return described(value);
  }
  char text[32];
  std::snprintf(text, sizeof(text), "%.7g", PyFloat_AsDouble(value));
  return text;
}

PyObject* config_repr(PyObject* self) {
  return guarded([&] {
    const GenerationConfig& config = Class<GenerationConfig>::of(self);
    std::string text;
    for (const auto& field : kConfigFields) {
      text += (text.empty() ? "" : ", ") + std::string(field.name) + "=";
      text += shown(field.get(config).get());
    }
    return decode("GenerationConfig(" + text + ")");
  });
}

PyMethodDef kConfigMethods[] = {
    method<GenerationConfig, resolve_max_new_tokens>("resolve_max_new_tokens"),
    {nullptr, nullptr, 0, nullptr},
};

// --- Stats ---

template <auto kMember>
constexpr Field<Stats> stats_field(const char* title) {
  return field<Stats, kMember>(title + sizeof("Stats"), title);
}

Field<Stats> kStatsFields[] = {
    stats_field<&Stats::model_load_start_ms>("Stats.model_load_start_ms"),
    stats_field<&Stats::model_load_end_ms>("Stats.model_load_end_ms"),
    stats_field<&Stats::inference_start_ms>("Stats.inference_start_ms"),
    stats_field<&Stats::token_encode_end_ms>("Stats.token_encode_end_ms"),
    stats_field<&Stats::model_execution_start_ms>("Stats.model_execution_start_ms"),
    stats_field<&Stats::model_execution_end_ms>("Stats.model_execution_end_ms"),
    stats_field<&Stats::prompt_eval_end_ms>("Stats.prompt_eval_end_ms"),
    stats_field<&Stats::first_token_ms>("Stats.first_token_ms"),
    stats_field<&Stats::inference_end_ms>("Stats.inference_end_ms"),
    stats_field<&Stats::aggregate_sampling_time_ms>("Stats.aggregate_sampling_time_ms"),
    stats_field<&Stats::aggregate_model_execution_time_ms>(
        "Stats.aggregate_model_execution_time_ms"),
    stats_field<&Stats::num_prompt_tokens>("Stats.num_prompt_tokens"),
    stats_field<&Stats::num_generated_tokens>("Stats.num_generated_tokens"),
};
auto stats_attributes = attributes_of(kStatsFields);

void init_stats(Stats& self, const Call& call) {
  constexpr Parameters<0> kParameters = {"Stats", 0, {}};
  const Arguments<0> arguments(call, kParameters);
  self = Stats();
}

Object on_sampling_begin(Stats& self) {
  self.on_sampling_begin();
  return none();
}

Object on_sampling_end(Stats& self) {
  self.on_sampling_end();
  return none();
}

Object reset_stats(Stats& self, const Call& call) {
  constexpr Parameters<1> kParameters = {"reset", 0, {"all_stats"}};
  self.reset(Arguments<1>(call, kParameters).boolean(0, false));
  return none();
}

Object to_json_string(Stats& self) { return decode(extension::llm::stats_to_json_string(self)); }

PyObject* stats_repr(PyObject* self) {
  return guarded([&] {
    return decode("Stats(" + extension::llm::stats_to_json_string(Class<Stats>::of(self)) + ")");
  });
}

PyMethodDef kStatsMethods[] = {
    getter<Stats, on_sampling_begin>("on_sampling_begin"),
    getter<Stats, on_sampling_end>("on_sampling_end"),
    method<Stats, reset_stats>("reset"),
    getter<Stats, to_json_string>("to_json_string"),
    {nullptr, nullptr, 0, nullptr},
};

// --- TextLLMRunner ---

/// The files that a text names, or a list or tuple of texts.
std::vector<std::string> files(PyObject* given) {
  const std::string title = argument_title("TextLLMRunner", "data_path");
  std::vector<std::string> found;
  if (given == nullptr || given == Py_None) {
    return found;
  }
  if (!PyList_Check(given) && !PyTuple_Check(given)) {
    found.push_back(text_value(given, title));
    return found;
  }
  const Py_ssize_t count = PySequence_Size(given);
  for (Py_ssize_t i = 0; i < count; ++i) {
    found.push_back(text_value(checked(PySequence_GetItem(given, i)).get(), title));
  }
  return found;
}

void init_runner(PyRunner& self, const Call& call) {
  constexpr Parameters<7> kParameters = {
      "TextLLMRunner",
      2,
      {"model_path", "tokenizer_path", "data_path", "draft_path", "num_draft_tokens", "method_name",
       "prefill_method_name"}};
  const Arguments<7> arguments(call, kParameters);
  const auto text = [&](size_t index) {
    PyObject* const given = arguments.object(index);
    return given == nullptr || given == Py_None ? std::optional<std::string>()
                                                : arguments.text(index);
  };
  std::optional<extension::llm::DraftOptions> draft;
  if (const auto path = text(3)) {
    draft = extension::llm::DraftOptions();
    draft->model_path = *path;
    if (arguments.object(4) != nullptr) {
      draft->max_tokens = arguments.whole<int32_t>(4);
    }
  }
  extension::llm::DecoderMethods methods;
  methods.decode = text(5).value_or(methods.decode);
  methods.prefill = text(6).value_or(methods.prefill);
  self = std::make_shared<TextRunner>(arguments.text(0), arguments.text(1),
                                      files(arguments.object(2)), draft, methods);
}

Object generate(PyRunner& self, const Call& call) {
  constexpr Parameters<4> kParameters = {
      "generate", 1, {"prompt", "config", "token_callback", "stats_callback"}};
  const Arguments<4> arguments(call, kParameters);
  runner_of(self)->generate(arguments.text(0), config_argument(arguments, 1),
                            callback_argument(arguments.object(2)),
                            callback_argument(arguments.object(3)));
  return none();
}

Object prefill(PyRunner& self, const Call& call) {
  constexpr Parameters<2> kParameters = {"prefill", 1, {"prompt", "config"}};
  const Arguments<2> arguments(call, kParameters);
  runner_of(self)->prefill(arguments.text(0), config_argument(arguments, 1));
  return none();
}

Object seek(PyRunner& self, const Call& call) {
  constexpr Parameters<1> kParameters = {"seek", 1, {"position"}};
  runner_of(self)->seek(Arguments<1>(call, kParameters).whole<int64_t>(0));
  return none();
}

Object save_session(PyRunner& self, const Call& call) {
  constexpr Parameters<1> kParameters = {"save_session", 1, {"path"}};
  runner_of(self)->save(Arguments<1>(call, kParameters).text(0));
  return none();
}

Object restore_session(PyRunner& self, const Call& call) {
  constexpr Parameters<1> kParameters = {"restore_session", 1, {"path"}};
  runner_of(self)->restore(Arguments<1>(call, kParameters).text(0));
  return none();
}

/// Makes a runner that has no __init__ behind it a fork of this one, so that it may be of a class
/// of Python's.
Object fork_into(PyRunner& self, const Call& call) {
  constexpr Parameters<1> kParameters = {"fork_into", 1, {"runner"}};
  const Arguments<1> arguments(call, kParameters);
  PyObject* const made = arguments.instance(0, Class<PyRunner>::type(), "TextLLMRunner");
  PyRunner forked = runner_of(self)->fork();
  Class<PyRunner>::of(made) = std::move(forked);
  return none();
}

Object tokens(PyRunner& self) {
  const Object ids = checked(PyList_New(0));
  for (const uint64_t token : runner_of(self)->tokens()) {
    append(ids, to_python(static_cast<size_t>(token)));
  }
  return ids;
}

PyMethodDef kRunnerMethods[] = {
    method<PyRunner, generate>("generate"),
    method<PyRunner, prefill>("prefill"),
    method<PyRunner, seek>("seek"),
    method<PyRunner, save_session>("save_session"),
    method<PyRunner, restore_session>("restore_session"),
    method<PyRunner, fork_into>("fork_into"),
    getter<PyRunner, tokens>("tokens"),
    getter<PyRunner, without_result<TextRunner, &TextRunner::load>>("load"),
    getter<PyRunner, is_loaded<TextRunner>>("is_loaded"),
    getter<PyRunner, without_result<TextRunner, &TextRunner::reset>>("reset"),
    getter<PyRunner, without_result<TextRunner, &TextRunner::stop>>("stop"),
    getter<PyRunner, vocab_size<TextRunner>>("get_vocab_size"),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void define_llm_runner(const Object& module) {
  constexpr char kName[] = "executorch.runtime.python._C.llm_runner";
  // A borrowed reference; from now on, `import` knows the name.
  const Object made = checked(Object::borrow(PyImport_AddModule(kName)).release());
  Class<GenerationConfig>::define(
      made, "executorch.runtime.python._C.llm_runner.GenerationConfig", kConfigMethods,
      {&config_repr, config_attributes.data(), &initialized<GenerationConfig, init_config>});
  Class<Stats>::define(made, "executorch.runtime.python._C.llm_runner.Stats", kStatsMethods,
                       {&stats_repr, stats_attributes.data(), &initialized<Stats, init_stats>});
  check(PyObject_SetAttrString(reinterpret_cast<PyObject*>(Class<Stats>::type()),
                               "SCALING_FACTOR_UNITS_PER_SECOND",
                               to_python(int64_t{Stats::SCALING_FACTOR_UNITS_PER_SECOND}).get()));
  Class<PyRunner>::define(made, "executorch.runtime.python._C.llm_runner.TextLLMRunner",
                          kRunnerMethods, {nullptr, nullptr, &initialized<PyRunner, init_runner>});
  define_multimodal(made);
  check(PyObject_SetAttrString(module.get(), "llm_runner", made.get()));
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
