package org.pytorch.executorch;

/** What the runtime refused or failed to do, with the number of its error. */
public class ExecutorchRuntimeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int errorCode;

  /** {@code errorCode} is a number of the runtime's Error; {@code message} says what was expected and what came. */
  public ExecutorchRuntimeException(int errorCode, String message) {
    super(message);
    this.errorCode = errorCode;
  }

  /** The number of the runtime's Error. */
  public int getErrorCode() {
    return errorCode;
  }
}
