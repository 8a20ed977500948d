#pragma once

#include <cstddef>

namespace executorch {
namespace fuzz {

/// A call that is nearly always valid, of an operator whose arguments have to fit each other in
/// ways that chance does not hit. A word for each argument:
///
/// - `f[n,3]`: a tensor; `f` float, `d` double, `l` int64, `i` int32, `b` uint8, `c` int8, `o`
///   bool, `z` complex, `*` whatever the call is about
/// - `#2`, `%0.5`: an int, a float
/// - `I[1,n]`, `D[1]`, `B[1,0]`: a list of ints, floats, bools
/// - `T`, `F`: true, false
/// - `yc`: a dtype
/// - `=tanh`: a string
/// - `-`, `.`: none; anything
///
/// Letters among sizes and ints are numbers from 1 to 5, the same in one call.
struct Recipe {
  const char* name;
  const char* words;
};

/// The recipe of an operator, null if it needs none.
const char* recipe_of(const char* name);

}  // namespace fuzz
}  // namespace executorch
