package org.pytorch.executorch;

/** What the runtime refused because of an argument. */
public class ExecutorchInvalidArgumentException extends ExecutorchRuntimeException {
  private static final long serialVersionUID = 1L;

  /** Natives call this one, as they do for the other class; the code is always this class's. */
  ExecutorchInvalidArgumentException(int errorCode, String message) {
    super(errorCode, message);
  }

  /** {@code message} says what was expected and what came. */
  public ExecutorchInvalidArgumentException(String message) {
    super(INVALID_ARGUMENT, message);
  }
}
