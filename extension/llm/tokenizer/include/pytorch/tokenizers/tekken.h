#pragma once

#include <executorch/extension/llm/tokenizer/tekken.h>
