// For LeakSanitizer, where a test is built with it: the context is never destroyed, and with it
// what the driver and the validation layer hold, to which no pointer of ours leads.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libvulkan_lvp.so\n"
         "leak:libVkLayer_khronos_validation.so\n";
}
