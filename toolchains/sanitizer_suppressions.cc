// What sanitizers say of code that is not ours and was not built with them; linked into every test
// that is.

extern "C" {

/// Vulkan's context is never destroyed, and with it what driver and validation layer hold, to which
/// no pointer of ours leads; Objective-C's runtime keeps what it knows of classes.
const char* __lsan_default_suppressions() {
  return "leak:libvulkan_lvp.so\n"
         "leak:libVkLayer_khronos_validation.so\n"
         "leak:libobjc.so\n";
}

/// Their own locks and atomics are not seen: libc++'s count of weak pointers is in its library,
/// too.
const char* __tsan_default_suppressions() {
  return "race:libvulkan_lvp.so\n"
         "race:libVkLayer_khronos_validation.so\n"
         "deadlock:libgnustep-base.so\n"
         "deadlock:libobjc.so\n"
         "race:__on_zero_shared_weak\n";
}

}  // extern "C"
