package org.pytorch.executorch;

import java.util.HashMap;
import java.util.Map;

/** What the runtime refused or failed to do, with the number of its error. */
public class ExecutorchRuntimeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  // System errors.
  public static final int OK = 0x00;
  public static final int INTERNAL = 0x01;
  public static final int INVALID_STATE = 0x02;
  public static final int END_OF_METHOD = 0x03;

  // Logical errors.
  public static final int NOT_SUPPORTED = 0x10;
  public static final int NOT_IMPLEMENTED = 0x11;
  public static final int INVALID_ARGUMENT = 0x12;
  public static final int INVALID_TYPE = 0x13;
  public static final int OPERATOR_MISSING = 0x14;
  public static final int REGISTRATION_EXCEEDING_MAX_KERNELS = 0x15;
  public static final int REGISTRATION_ALREADY_REGISTERED = 0x16;

  // Resource errors.
  public static final int NOT_FOUND = 0x20;
  public static final int MEMORY_ALLOCATION_FAILED = 0x21;
  public static final int ACCESS_FAILED = 0x22;
  public static final int INVALID_PROGRAM = 0x23;
  public static final int INVALID_EXTERNAL_DATA = 0x24;
  public static final int OUT_OF_RESOURCES = 0x25;

  // Errors of delegates.
  public static final int DELEGATE_INVALID_COMPATIBILITY = 0x30;
  public static final int DELEGATE_MEMORY_ALLOCATION_FAILED = 0x31;
  public static final int DELEGATE_INVALID_HANDLE = 0x32;

  private static final Map<Integer, String> NAMES = new HashMap<>();

  static {
    NAMES.put(INTERNAL, "internal error");
    NAMES.put(INVALID_STATE, "invalid state");
    NAMES.put(END_OF_METHOD, "end of method");
    NAMES.put(NOT_SUPPORTED, "not supported");
    NAMES.put(NOT_IMPLEMENTED, "not implemented");
    NAMES.put(INVALID_ARGUMENT, "invalid argument");
    NAMES.put(INVALID_TYPE, "invalid type");
    NAMES.put(OPERATOR_MISSING, "an operator is missing in this build");
    NAMES.put(REGISTRATION_EXCEEDING_MAX_KERNELS, "too many kernels are registered");
    NAMES.put(REGISTRATION_ALREADY_REGISTERED, "registered already");
    NAMES.put(NOT_FOUND, "not found");
    NAMES.put(MEMORY_ALLOCATION_FAILED, "memory allocation failed");
    NAMES.put(ACCESS_FAILED, "access failed");
    NAMES.put(INVALID_PROGRAM, "invalid program");
    NAMES.put(INVALID_EXTERNAL_DATA, "invalid external data");
    NAMES.put(OUT_OF_RESOURCES, "out of resources");
    NAMES.put(DELEGATE_INVALID_COMPATIBILITY, "a delegate's data is of another version");
    NAMES.put(DELEGATE_MEMORY_ALLOCATION_FAILED, "a delegate's memory allocation failed");
    NAMES.put(DELEGATE_INVALID_HANDLE, "a delegate's handle is invalid");
  }

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

  /** The error's number and name, and the message. */
  public String getDetailedError() {
    String name = NAMES.containsKey(errorCode) ? NAMES.get(errorCode) : "unknown error";
    return String.format("[ExecuTorch error 0x%x, %s] %s", errorCode, name, getMessage());
  }
}
