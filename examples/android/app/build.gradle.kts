plugins {
    id("com.android.application")
}

android {
    namespace = "org.pytorch.executorch.examples.digits"
    compileSdk = 35

    defaultConfig {
        applicationId = "org.pytorch.executorch.examples.digits"
        minSdk = 28
        targetSdk = 35
        versionCode = 1
        versionName = "1.0"
    }

    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_1_8
        targetCompatibility = JavaVersion.VERSION_1_8
    }
}

dependencies {
    // ./bazelw build //extension/android:aar, and the file copied here.
    implementation(files("libs/aar.aar"))
}
