package org.pytorch.executorch.extension.llm;

import org.pytorch.executorch.annotations.Experimental;

/** How to generate: {@code LlmGenerationConfig.create().seqLen(128).temperature(0).build()}. */
@Experimental
public final class LlmGenerationConfig {
  private final boolean echo;
  private final int maxNewTokens;
  private final boolean warming;
  private final int seqLen;
  private final float temperature;
  private final int numBos;
  private final int numEos;

  private LlmGenerationConfig(Builder builder) {
    echo = builder.echo;
    maxNewTokens = builder.maxNewTokens;
    warming = builder.warming;
    seqLen = builder.seqLen;
    temperature = builder.temperature;
    numBos = builder.numBos;
    numEos = builder.numEos;
  }

  /** The defaults, to be changed. */
  public static Builder create() {
    return new Builder();
  }

  /** Whether the prompt comes first in what is generated. */
  public boolean isEcho() {
    return echo;
  }

  /** The most tokens that are generated; -1 for as many as there is room for. */
  public int getMaxNewTokens() {
    return maxNewTokens;
  }

  /** Whether the run is one to warm up, which tells nobody of its tokens. */
  public boolean isWarming() {
    return warming;
  }

  /** The most tokens of prompt and answer together; -1 for the model's limit. */
  public int getSeqLen() {
    return seqLen;
  }

  /** 0 takes the most probable token every time. */
  public float getTemperature() {
    return temperature;
  }

  /** How many tokens of begin are put before the prompt. */
  public int getNumBos() {
    return numBos;
  }

  /** How many tokens of end are put behind the prompt. */
  public int getNumEos() {
    return numEos;
  }

  /** Makes a {@link LlmGenerationConfig}. */
  public static final class Builder {
    private boolean echo = true;
    private int maxNewTokens = -1;
    private boolean warming = false;
    private int seqLen = -1;
    private float temperature = 0.8f;
    private int numBos = 0;
    private int numEos = 0;

    private Builder() {}

    /** See {@link #isEcho}; true at first. */
    public Builder echo(boolean value) {
      echo = value;
      return this;
    }

    /** See {@link #getMaxNewTokens}; -1 at first. */
    public Builder maxNewTokens(int value) {
      maxNewTokens = value;
      return this;
    }

    /** See {@link #isWarming}; false at first. */
    public Builder warming(boolean value) {
      warming = value;
      return this;
    }

    /** See {@link #getSeqLen}; -1 at first. */
    public Builder seqLen(int value) {
      seqLen = value;
      return this;
    }

    /** See {@link #getTemperature}; 0.8 at first. */
    public Builder temperature(float value) {
      temperature = value;
      return this;
    }

    /** See {@link #getNumBos}; 0 at first. */
    public Builder numBos(int value) {
      numBos = value;
      return this;
    }

    /** See {@link #getNumEos}; 0 at first. */
    public Builder numEos(int value) {
      numEos = value;
      return this;
    }

    /** The configuration. Throws {@link IllegalArgumentException} for what no run can be made with. */
    public LlmGenerationConfig build() {
      if (maxNewTokens < -1 || seqLen < -1 || numBos < 0 || numEos < 0) {
        throw new IllegalArgumentException(
            "Numbers of tokens are not negative, but for maxNewTokens and seqLen, which are -1 without a limit: maxNewTokens "
                + maxNewTokens + ", seqLen " + seqLen + ", numBos " + numBos + ", numEos " + numEos);
      }
      if (!(temperature >= 0)) {
        throw new IllegalArgumentException("A temperature is 0 or more, found " + temperature);
      }
      return new LlmGenerationConfig(this);
    }
  }
}
