package android.content;

import android.content.res.AssetManager;
import java.io.File;

public abstract class Context {
  public AssetManager getAssets() {
    throw new UnsupportedOperationException();
  }

  public File getFilesDir() {
    throw new UnsupportedOperationException();
  }
}
