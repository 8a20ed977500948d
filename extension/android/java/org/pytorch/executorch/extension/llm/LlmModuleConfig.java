package org.pytorch.executorch.extension.llm;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.pytorch.executorch.Module;
import org.pytorch.executorch.annotations.Experimental;

/** What to load: {@code LlmModuleConfig.create().modulePath("model.pte").tokenizerPath("tokenizer.json").build()}. */
@Experimental
public final class LlmModuleConfig {
  /** A model that takes and gives text. */
  public static final int MODEL_TYPE_TEXT = LlmModule.MODEL_TYPE_TEXT;

  public static final int MODEL_TYPE_TEXT_VISION = LlmModule.MODEL_TYPE_TEXT_VISION;
  public static final int MODEL_TYPE_MULTIMODAL = LlmModule.MODEL_TYPE_MULTIMODAL;

  /** See {@link Module#LOAD_MODE_FILE}. */
  public static final int LOAD_MODE_FILE = Module.LOAD_MODE_FILE;

  /** See {@link Module#LOAD_MODE_MMAP}. */
  public static final int LOAD_MODE_MMAP = Module.LOAD_MODE_MMAP;

  /** See {@link Module#LOAD_MODE_MMAP_USE_MLOCK}. */
  public static final int LOAD_MODE_MMAP_USE_MLOCK = Module.LOAD_MODE_MMAP_USE_MLOCK;

  /** See {@link Module#LOAD_MODE_MMAP_USE_MLOCK_IGNORE_ERRORS}. */
  public static final int LOAD_MODE_MMAP_USE_MLOCK_IGNORE_ERRORS = Module.LOAD_MODE_MMAP_USE_MLOCK_IGNORE_ERRORS;

  private final String modulePath;
  private final String tokenizerPath;
  private final float temperature;
  private final List<String> dataPaths;
  private final int modelType;
  private final int numBos;
  private final int numEos;
  private final int loadMode;

  private LlmModuleConfig(Builder builder) {
    modulePath = builder.modulePath;
    tokenizerPath = builder.tokenizerPath;
    temperature = builder.temperature;
    dataPaths = Collections.unmodifiableList(new ArrayList<>(builder.dataPaths));
    modelType = builder.modelType;
    numBos = builder.numBos;
    numEos = builder.numEos;
    loadMode = builder.loadMode;
  }

  /** Nothing yet, to be filled in. */
  public static Builder create() {
    return new Builder();
  }

  /** The {@code .pte} file. */
  public String getModulePath() {
    return modulePath;
  }

  /** The tokenizer's file, of any format that the runtime knows. */
  public String getTokenizerPath() {
    return tokenizerPath;
  }

  /** Of runs that do not say another one. */
  public float getTemperature() {
    return temperature;
  }

  /** The first {@code .ptd} file; null without one. */
  public String getDataPath() {
    return dataPaths.isEmpty() ? null : dataPaths.get(0);
  }

  /** The {@code .ptd} files with weights that lie outside of the program. */
  public List<String> getDataPaths() {
    return dataPaths;
  }

  /** A {@code MODEL_TYPE_…}. */
  public int getModelType() {
    return modelType;
  }

  /** How many tokens of begin are put before prompts of runs that do not say another number. */
  public int getNumBos() {
    return numBos;
  }

  /** How many tokens of end are put behind prompts of runs that do not say another number. */
  public int getNumEos() {
    return numEos;
  }

  /** A {@code LOAD_MODE_…}. */
  public int getLoadMode() {
    return loadMode;
  }

  /** Makes a {@link LlmModuleConfig}. */
  public static final class Builder {
    private String modulePath;
    private String tokenizerPath;
    private float temperature = 0.8f;
    private final List<String> dataPaths = new ArrayList<>();
    private int modelType = MODEL_TYPE_TEXT;
    private int numBos = 0;
    private int numEos = 0;
    private int loadMode = LOAD_MODE_MMAP;

    private Builder() {}

    /** See {@link #getModulePath}; has to be set. */
    public Builder modulePath(String value) {
      modulePath = value;
      return this;
    }

    /** See {@link #getTokenizerPath}; has to be set. */
    public Builder tokenizerPath(String value) {
      tokenizerPath = value;
      return this;
    }

    /** See {@link #getTemperature}; 0.8 at first. */
    public Builder temperature(float value) {
      temperature = value;
      return this;
    }

    /** One more {@code .ptd} file; null or nothing is none. */
    public Builder dataPath(String value) {
      if (value != null && !value.isEmpty()) {
        dataPaths.add(value);
      }
      return this;
    }

    /** See {@link #getModelType}; text at first. */
    public Builder modelType(int value) {
      modelType = value;
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

    /** See {@link #getLoadMode}; the program is mapped at first. */
    public Builder loadMode(int value) {
      loadMode = value;
      return this;
    }

    /** The configuration. Throws {@link IllegalArgumentException} where a path is missing, or a mode is none. */
    public LlmModuleConfig build() {
      if (loadMode < LOAD_MODE_FILE || loadMode > LOAD_MODE_MMAP_USE_MLOCK_IGNORE_ERRORS) {
        throw new IllegalArgumentException(
            "There is no load mode " + loadMode + "; they are the constants LlmModuleConfig.LOAD_MODE_…");
      }
      if (modulePath == null || tokenizerPath == null) {
        throw new IllegalArgumentException("modulePath and tokenizerPath have to be set");
      }
      return new LlmModuleConfig(this);
    }
  }
}
