#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include <executorch/extension/llm/runner/irunner.h>
#include <executorch/extension/llm/runner/llm_runner_helper.h>
#include <executorch/extension/llm/runner/stats.h>
#include <executorch/extension/llm/runner/text_llm_runner.h>
#include <executorch/extension/log_capture/log_capture.h>
#include <executorch/runtime/python/failure.h>
#include <executorch/runtime/python/llm_runner.h>
#include <executorch/runtime/python/text.h>

namespace py = pybind11;

namespace executorch {
namespace runtime {
namespace python {
namespace {

using ::executorch::extension::LogCapture;
using ::executorch::extension::llm::GenerationConfig;
using ::executorch::extension::llm::Stats;

/// Holds bytes back until they are whole characters.
class Characters {
 public:
  /// Takes more bytes; returns what can be shown.
  std::string add(const std::string& bytes) {
    held_ += bytes;
    const size_t whole = held_.size() - unfinished();
    std::string text = held_.substr(0, whole);
    held_.erase(0, whole);
    return text;
  }

  std::string rest() { return std::exchange(held_, std::string()); }

 private:
  /// How many bytes at the end begin a character that goes on.
  size_t unfinished() const {
    for (size_t back = 1; back <= held_.size() && back < 4; ++back) {
      const auto byte = static_cast<unsigned char>(held_[held_.size() - back]);
      if ((byte & 0xc0) != 0x80) {
        const size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
        return length > back ? back : 0;
      }
    }
    return 0;
  }

  std::string held_;
};

/// A runner for one thread at a time; stop() is for all.
class TextRunner {
 public:
  TextRunner(const std::string& model_path, const std::string& tokenizer_path,
             const std::optional<std::string>& data_path) {
    LogCapture log;
    auto tokenizer = extension::llm::load_tokenizer(tokenizer_path);
    if (tokenizer == nullptr) {
      throw Failure(Error::InvalidExternalData, "loading the tokenizer " + tokenizer_path,
                    log.take());
    }
    vocab_size_ = tokenizer->vocab_size();
    std::vector<std::string> data;
    if (data_path) {
      data.push_back(*data_path);
    }
    runner_ =
        extension::llm::create_text_llm_runner(model_path, std::move(tokenizer), std::move(data));
    if (runner_ == nullptr) {
      throw Failure(Error::InvalidProgram, "making a runner for " + model_path, log.take());
    }
  }

  /// Calls Python for each piece of text. What is raised there, or by a signal, ends the run and
  /// goes on to the caller.
  void generate(const std::string& prompt, const GenerationConfig& config,
                const py::object& on_text, const py::object& on_stats) {
    const std::unique_lock<std::mutex> turn = take_turn();
    LogCapture log;
    std::exception_ptr raised;
    const auto call = [&](const py::object& function, auto&& make) {
      const py::gil_scoped_acquire acquired;
      try {
        if (raised == nullptr && PyErr_CheckSignals() != 0) {
          throw py::error_already_set();
        }
        if (raised == nullptr && !function.is_none()) {
          function(make());
        }
      } catch (...) {
        raised = std::current_exception();
        runner_->stop();
      }
    };
    Characters characters;
    const auto show = [&](const std::string& text) {
      if (!text.empty()) {
        call(on_text, [&] { return decode(text); });
      }
    };
    Error error = Error::Ok;
    {
      const py::gil_scoped_release released;
      error = runner_->generate(
          prompt, config, [&](const std::string& piece) { show(characters.add(piece)); },
          [&](const Stats& stats) { call(on_stats, [&] { return py::cast(stats); }); });
      show(characters.rest());
    }
    if (raised != nullptr) {
      std::rethrow_exception(raised);
    }
    check(error, "generating text", log);
  }

  void prefill(const std::string& prompt, const GenerationConfig& config) {
    const std::unique_lock<std::mutex> turn = take_turn();
    LogCapture log;
    Error error = Error::Ok;
    {
      const py::gil_scoped_release released;
      error = runner_->prefill(prompt, config.num_bos, config.num_eos).error();
    }
    check(error, "taking a prompt", log);
  }

  void load() {
    const std::unique_lock<std::mutex> turn = take_turn();
    LogCapture log;
    Error error = Error::Ok;
    {
      const py::gil_scoped_release released;
      error = runner_->load();
    }
    check(error, "loading the model", log);
  }

  void reset() {
    const std::unique_lock<std::mutex> turn = take_turn();
    runner_->reset();
  }

  void stop() { runner_->stop(); }
  int32_t vocab_size() const { return vocab_size_; }
  bool is_loaded() const { return runner_->is_loaded(); }

 private:
  std::unique_lock<std::mutex> take_turn() {
    std::unique_lock<std::mutex> turn(in_use_, std::try_to_lock);
    if (!turn.owns_lock()) {
      throw Failure(Error::InvalidState, "using a runner that is busy: another call has not ended");
    }
    return turn;
  }

  static void check(Error error, const char* what, LogCapture& log) {
    if (error != Error::Ok) {
      throw Failure(error, what, log.take());
    }
  }

  std::mutex in_use_;
  std::unique_ptr<extension::llm::TextLLMRunner> runner_;
  int32_t vocab_size_ = 0;
};

void bind_config(py::module_& m) {
  py::class_<GenerationConfig>(m, "GenerationConfig")
      .def(py::init([](bool echo, int32_t max_new_tokens, bool warming, int32_t seq_len,
                       float temperature, int32_t num_bos, int32_t num_eos, float top_p,
                       int32_t top_k, float min_p, float repetition_penalty, uint64_t seed) {
             return GenerationConfig{
                 echo,    max_new_tokens, warming, seq_len, temperature,        num_bos,
                 num_eos, top_p,          top_k,   min_p,   repetition_penalty, seed};
           }),
           py::arg("echo") = true, py::arg("max_new_tokens") = -1, py::arg("warming") = false,
           py::arg("seq_len") = -1, py::arg("temperature") = 0.8f, py::arg("num_bos") = 0,
           py::arg("num_eos") = 0, py::kw_only(), py::arg("top_p") = 0.9f, py::arg("top_k") = 0,
           py::arg("min_p") = 0.0f, py::arg("repetition_penalty") = 1.0f, py::arg("seed") = 0)
      .def_readwrite("echo", &GenerationConfig::echo)
      .def_readwrite("max_new_tokens", &GenerationConfig::max_new_tokens)
      .def_readwrite("warming", &GenerationConfig::warming)
      .def_readwrite("seq_len", &GenerationConfig::seq_len)
      .def_readwrite("temperature", &GenerationConfig::temperature)
      .def_readwrite("num_bos", &GenerationConfig::num_bos)
      .def_readwrite("num_eos", &GenerationConfig::num_eos)
      .def_readwrite("top_p", &GenerationConfig::top_p)
      .def_readwrite("top_k", &GenerationConfig::top_k)
      .def_readwrite("min_p", &GenerationConfig::min_p)
      .def_readwrite("repetition_penalty", &GenerationConfig::repetition_penalty)
      .def_readwrite("seed", &GenerationConfig::seed)
      .def("resolve_max_new_tokens", &GenerationConfig::resolve_max_new_tokens,
           py::arg("max_context_len"), py::arg("num_tokens_occupied"));
}

void bind_stats(py::module_& m) {
  py::class_<Stats>(m, "Stats")
      .def(py::init<>())
      .def_property_readonly_static(
          "SCALING_FACTOR_UNITS_PER_SECOND",
          [](const py::object&) { return Stats::SCALING_FACTOR_UNITS_PER_SECOND; })
      .def_readwrite("model_load_start_ms", &Stats::model_load_start_ms)
      .def_readwrite("model_load_end_ms", &Stats::model_load_end_ms)
      .def_readwrite("inference_start_ms", &Stats::inference_start_ms)
      .def_readwrite("token_encode_end_ms", &Stats::token_encode_end_ms)
      .def_readwrite("model_execution_start_ms", &Stats::model_execution_start_ms)
      .def_readwrite("prompt_eval_end_ms", &Stats::prompt_eval_end_ms)
      .def_readwrite("first_token_ms", &Stats::first_token_ms)
      .def_readwrite("inference_end_ms", &Stats::inference_end_ms)
      .def_readwrite("aggregate_sampling_time_ms", &Stats::aggregate_sampling_time_ms)
      .def_readwrite("num_prompt_tokens", &Stats::num_prompt_tokens)
      .def_readwrite("num_generated_tokens", &Stats::num_generated_tokens)
      .def("on_sampling_begin", &Stats::on_sampling_begin)
      .def("on_sampling_end", &Stats::on_sampling_end)
      .def("reset", &Stats::reset, py::arg("all_stats") = false)
      .def("to_json_string", &extension::llm::stats_to_json_string)
      .def("__repr__", [](const Stats& self) {
        return "Stats(" + extension::llm::stats_to_json_string(self) + ")";
      });
}

}  // namespace

void bind_llm_runner(py::module_ m) {
  bind_config(m);
  bind_stats(m);
  py::class_<TextRunner>(m, "TextLLMRunner")
      .def(py::init<const std::string&, const std::string&, const std::optional<std::string>&>(),
           py::arg("model_path"), py::arg("tokenizer_path"), py::arg("data_path") = py::none())
      .def("generate", &TextRunner::generate, py::arg("prompt"),
           py::arg("config") = GenerationConfig(), py::arg("token_callback") = py::none(),
           py::arg("stats_callback") = py::none())
      .def("prefill", &TextRunner::prefill, py::arg("prompt"),
           py::arg("config") = GenerationConfig())
      .def("load", &TextRunner::load)
      .def("is_loaded", &TextRunner::is_loaded)
      .def("reset", &TextRunner::reset)
      .def("stop", &TextRunner::stop)
      .def("get_vocab_size", &TextRunner::vocab_size);
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
