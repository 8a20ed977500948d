// The documented way to a recording: a Module with an ETDumpGen, found again through its interface.

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/devtools/etdump/etdump_flatcc.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/extension/testing_util/temp_file.h>
#include <executorch/extension/testing_util/tiny_program.h>
#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/schema/etdump_generated.h>

namespace executorch {
namespace etdump {
namespace {

using extension::make_tensor_ptr;
using extension::Module;
using runtime::EventTracerDebugLogLevel;
using runtime::Span;

TEST(ModuleWithETDump, RecordsLoadingRunningAndValues) {
  const extension::testing::TempFile file(extension::testing::TinyProgram().build());
  std::vector<uint8_t> debug_buffer(1024);
  auto tracer = std::make_unique<ETDumpGen>();
  ASSERT_TRUE(
      tracer->set_debug_buffer(Span<uint8_t>(debug_buffer.data(), debug_buffer.size())).ok());
  tracer->set_event_tracer_debug_level(EventTracerDebugLogLevel::kProgramOutputs);
  Module module(file.path(), Module::LoadMode::File, std::move(tracer));
  const auto a = make_tensor_ptr({2, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f});
  ASSERT_TRUE(module.forward({a, a}).ok());

  auto* found = dynamic_cast<ETDumpGen*>(module.event_tracer());
  ASSERT_NE(found, nullptr);
  const ETDumpResult result = found->get_etdump_data();
  if (!runtime::internal::kEventTracerEnabled) {
    // As documented for a runtime that is built without the tracer.
    EXPECT_EQ(result.buf, nullptr);
    EXPECT_EQ(result.size, 0u);
    return;
  }
  ASSERT_NE(result.buf, nullptr);
  const auto* bytes = static_cast<const uint8_t*>(result.buf);
  flatbuffers::Verifier verifier(bytes, result.size);
  ASSERT_TRUE(::etdump::VerifySizePrefixedETDumpBuffer(verifier));
  const auto* runs = ::etdump::GetSizePrefixedETDump(bytes)->run_data();
  ASSERT_EQ(runs->size(), 2u);
  EXPECT_EQ(runs->Get(0)->name()->str(), "Default");
  std::vector<std::string> names;
  for (const auto* event : *runs->Get(1)->events()) {
    if (event->profile_event() != nullptr) {
      names.push_back(event->profile_event()->name()->str());
    } else {
      const auto* value = event->debug_event()->debug_entry();
      EXPECT_TRUE(value->output()->bool_val());
      const float expected[6] = {2, 4, 6, 8, 10, 12};
      EXPECT_EQ(
          std::memcmp(debug_buffer.data() + value->tensor()->offset(), expected, sizeof(expected)),
          0);
      names.emplace_back("output");
    }
  }
  // A kernel that is registered by hand has no event of its own beside the call's.
  EXPECT_EQ(names, (std::vector<std::string>{"OPERATOR_CALL", "output", "Method::execute"}));
  std::free(result.buf);
}

}  // namespace
}  // namespace etdump
}  // namespace executorch
