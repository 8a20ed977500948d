package org.pytorch.executorch;

import java.io.File;
import org.pytorch.executorch.annotations.Experimental;

/** The native library of this process: it is loaded when this class is first used. */
@Experimental
public final class ExecuTorchRuntime {
  static {
    System.loadLibrary("executorch");
  }

  private static final ExecuTorchRuntime INSTANCE = new ExecuTorchRuntime();

  private ExecuTorchRuntime() {}

  /** The one of this process. {@link UnsatisfiedLinkError} if the native library is not part of the application. */
  public static ExecuTorchRuntime getRuntime() {
    return INSTANCE;
  }

  /** {@link IllegalArgumentException}, which names the file and {@code description}, unless it is a readable file. */
  public static void validateFilePath(String path, String description) {
    if (path == null) {
      throw new IllegalArgumentException("The path of a " + description + " is null");
    }
    File file = new File(path);
    if (!file.isFile() || !file.canRead()) {
      throw new IllegalArgumentException(
          "Cannot load the " + description + " at " + path + ": " + (file.exists() ? "not a readable file" : "no such file"));
    }
  }

  /** Names of all operators of this build. */
  public String[] getRegisteredOperators() {
    return NativeModule.operatorNames();
  }

  /** Names of all backends of this build. */
  public String[] getRegisteredBackends() {
    return NativeModule.backendNames();
  }
}
