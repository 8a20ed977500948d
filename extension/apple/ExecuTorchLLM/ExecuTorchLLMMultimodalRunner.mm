#import "ExecuTorchLLMMultimodalRunner.h"

#include <cstring>

#import "Running.h"

namespace llm = executorch::extension::llm;

using executorch::extension::apple::Failure;
using executorch::runtime::Error;

using MultimodalModel = llm::apple::Model<llm::MultimodalRunner>;

namespace {

MultimodalModel& model(void* impl) { return *static_cast<MultimodalModel*>(impl); }

template <typename T>
std::vector<T> values_of(NSData* data) {
  std::vector<T> values(data.length / sizeof(T));
  std::memcpy(values.data(), data.bytes, values.size() * sizeof(T));
  return values;
}

/// A picture or sound of three sizes, whichever values it has.
template <typename Part>
llm::MultimodalInput part_of(NSData* data, BOOL is_float, NSInteger a, NSInteger b, NSInteger c) {
  const auto size = [](NSInteger n) { return static_cast<int32_t>(n); };
  return llm::MultimodalInput(is_float ? Part(values_of<float>(data), size(a), size(b), size(c))
                                       : Part(values_of<uint8_t>(data), size(a), size(b), size(c)));
}

llm::MultimodalInput to_input(ExecuTorchLLMMultimodalInput* input) {
  switch (input.type) {
    case ExecuTorchLLMMultimodalInputTypeImage: {
      ExecuTorchLLMImage* image = input.image;
      return part_of<llm::Image>(image.data, image.isFloat, image.width, image.height,
                                 image.channels);
    }
    case ExecuTorchLLMMultimodalInputTypeAudio: {
      ExecuTorchLLMAudio* audio = input.audio;
      return part_of<llm::Audio>(audio.data, audio.isFloat, audio.batchSize, audio.bins,
                                 audio.frames);
    }
    default:
      return llm::MultimodalInput(std::string(input.text.UTF8String));
  }
}

}  // namespace

@implementation ExecuTorchLLMMultimodalRunner

- (instancetype)initWithModelPath:(NSString*)modelPath tokenizerPath:(NSString*)tokenizerPath {
  if (self = [super init]) {
    _impl =
        new MultimodalModel([path = std::string(modelPath.fileSystemRepresentation),
                             tokenizer_path = std::string(tokenizerPath.fileSystemRepresentation)] {
          auto tokenizer = llm::load_tokenizer(tokenizer_path);
          return tokenizer == nullptr ? nullptr
                                      : llm::create_multimodal_runner(path, std::move(tokenizer));
        });
  }
  return self;
}

- (void)dealloc {
  delete static_cast<MultimodalModel*>(_impl);
  [super dealloc];
}

- (BOOL)isLoaded {
  return model(_impl).is_loaded();
}

- (BOOL)loadWithError:(NSError**)error {
  Failure failure;
  const Error status = model(_impl).load();
  return status == Error::Ok ? YES : failure.report(status, error);
}

- (BOOL)generateWithInputs:(NSArray<ExecuTorchLLMMultimodalInput*>*)inputs
                    config:(ExecuTorchLLMConfig*)config
             tokenCallback:(void(NS_NOESCAPE ^)(NSString* token))callback
                     error:(NSError**)error {
  std::vector<llm::MultimodalInput> parts;
  for (ExecuTorchLLMMultimodalInput* input in inputs) {
    parts.push_back(to_input(input));
  }
  return llm::apple::generate(model(_impl), callback, error,
                              [&](llm::MultimodalRunner& runner, const auto& add) {
                                return runner.generate(parts, llm::apple::to_config(config), add);
                              });
}

- (void)stop {
  if (auto* runner = model(_impl).runner()) {
    runner->stop();
  }
}

- (void)reset {
  if (auto* runner = model(_impl).runner()) {
    runner->reset();
  }
}

@end
