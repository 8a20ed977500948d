#import "ExecuTorchLLMTextRunner.h"

#import "Running.h"

namespace llm = executorch::extension::llm;

using executorch::extension::apple::Failure;
using executorch::runtime::Error;

using TextModel = llm::apple::Model<llm::TextLLMRunner>;

namespace {

TextModel& model(void* impl) { return *static_cast<TextModel*>(impl); }

std::unique_ptr<llm::TextLLMRunner> make_runner(const std::string& model_path,
                                                const std::string& tokenizer_path,
                                                const std::vector<std::string>& special_tokens) {
  auto tokenizer = llm::load_tokenizer(
      tokenizer_path, special_tokens.empty()
                          ? nullptr
                          : std::make_unique<std::vector<std::string>>(special_tokens));
  return tokenizer == nullptr ? nullptr
                              : llm::create_text_llm_runner(model_path, std::move(tokenizer));
}

}  // namespace

@implementation ExecuTorchLLMTextRunner

- (instancetype)initWithModelPath:(NSString*)modelPath
                    tokenizerPath:(NSString*)tokenizerPath
                    specialTokens:(NSArray<NSString*>*)specialTokens {
  if (self = [super init]) {
    std::vector<std::string> special;
    for (NSString* token in specialTokens) {
      special.push_back(token.UTF8String);
    }
    _impl = new TextModel(
        [path = std::string(modelPath.fileSystemRepresentation),
         tokenizer = std::string(tokenizerPath.fileSystemRepresentation),
         special = std::move(special)] { return make_runner(path, tokenizer, special); });
  }
  return self;
}

- (instancetype)initWithModelPath:(NSString*)modelPath tokenizerPath:(NSString*)tokenizerPath {
  return [self initWithModelPath:modelPath tokenizerPath:tokenizerPath specialTokens:@[]];
}

- (void)dealloc {
  delete static_cast<TextModel*>(_impl);
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

- (BOOL)generateWithPrompt:(NSString*)prompt
                    config:(ExecuTorchLLMConfig*)config
             tokenCallback:(void(NS_NOESCAPE ^)(NSString* token))callback
                     error:(NSError**)error {
  return llm::apple::generate(
      model(_impl), callback, error, [&](llm::TextLLMRunner& runner, const auto& add) {
        return runner.generate(prompt.UTF8String, llm::apple::to_config(config), add);
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
