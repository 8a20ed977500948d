package org.pytorch.executorch;

/** What happened in a module; in native libraries that have their modules write it down, {@code native_etdump}. */
final class NativeEtdump {
  private NativeEtdump() {}

  /** Writes an ETDump of what has happened, and forgets that. Whatever fails throws {@link ExecutorchRuntimeException}. */
  static native void write(long module, String path);
}
