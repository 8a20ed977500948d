package org.pytorch.executorch;

import org.pytorch.executorch.annotations.Experimental;

/** What a program says of one of its methods. */
@Experimental
public final class MethodMetadata {
  private final String name;
  private final String[] backends;

  MethodMetadata(String name, String[] backends) {
    this.name = name;
    this.backends = backends;
  }

  /** The method's name. */
  public String getName() {
    return name;
  }

  /** Names of the backends that parts of the method were lowered to, each once; empty if there are none. */
  public String[] getBackends() {
    return backends.clone();
  }
}
