#pragma once

namespace executorch {
namespace backends {
namespace xnnpack {

/// The backend's name in programs and in the registry.
constexpr char xnnpack_backend_key[] = "XnnpackBackend";

/// Which delegates share the memory of their intermediate values. Those that do take turns.
enum class WorkspaceSharingMode : int {
  /// Each delegate has its own, so delegates never wait for each other.
  Disabled = 0,
  /// The delegates of a method, which run one after another anyway, share. The default.
  PerModel = 1,
  /// All delegates of the process share: the least memory, and no two run at the same time.
  Global = 2,
  Count = 3,
};

// Options, for `set_option(xnnpack_backend_key, ...)`, which concerns all methods that are loaded
// afterwards, and for the options of one `load_method`.

/// int: a WorkspaceSharingMode.
constexpr char workspace_sharing_mode_option_key[] = "workspace_sharing_mode";
/// bool: whether equal weights are packed once and shared by all delegates of a program, or of a
/// group. True by default.
constexpr char weight_cache_option_key[] = "weight_cache_enabled";
/// Text: programs that are loaded with the same name share packed weights. They trust each other:
/// what one says its weights are called is believed. Empty, the default, for no program but one's
/// own.
constexpr char weight_cache_group_option_key[] = "weight_cache_group";
/// Text: a file that keeps packed weights for the next process; the directory has to exist, and
/// nobody else may write there. Whoever is loaded with the same file trusts each other as in a
/// group. Empty, the default, for none.
constexpr char packed_cache_path_option_key[] = "packed_cache_path";

}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
