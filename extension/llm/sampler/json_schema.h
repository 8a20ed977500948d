#pragma once

#include <string>

#include <executorch/runtime/core/result.h>

namespace executorch {
namespace extension {
namespace llm {

/// The pattern (see Pattern) of the JSON texts that a schema describes, on one line, with at most a
/// space behind each `,` and `:`. Properties come in the order of the schema; those that are not
/// `required` may be left out, others than those named are not there.
///
/// Known are `type` (also a list), `properties`, `required`, `items`, `minItems`, `maxItems`,
/// `minLength`, `maxLength`, `pattern`, `enum`, `const`, `anyOf`, `oneOf` (as `anyOf`), `$ref` into
/// the schema itself, and `additionalProperties` of false; words that only explain are ignored.
///
/// @returns InvalidArgument, after saying why, for what is no schema, has other keywords, or
///     describes texts that contain themselves.
runtime::Result<std::string> pattern_of_json_schema(const std::string& schema);

}  // namespace llm
}  // namespace extension
}  // namespace executorch
