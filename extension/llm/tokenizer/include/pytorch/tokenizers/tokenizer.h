#pragma once

#include <executorch/extension/llm/tokenizer/tokenizer.h>
