package org.pytorch.executorch.extension.asr

import org.pytorch.executorch.annotations.Experimental

/**
 * How speech is transcribed; what is out of range is an [IllegalArgumentException].
 *
 * @property maxNewTokens the most tokens of a piece that the model takes at once, 30 seconds of Whisper
 * @property temperature 0 takes the most probable token every time, higher ones spread the choice
 * @property decoderStartTokenId the token that decoding begins with; 0 for the one that the program names
 */
@Experimental
public data class AsrTranscribeConfig(
    public val maxNewTokens: Long = 128,
    public val temperature: Float = 0.0f,
    public val decoderStartTokenId: Long = 0,
) {
    init {
        require(maxNewTokens > 0) { "maxNewTokens has to be positive, it is $maxNewTokens" }
        require(temperature >= 0) { "temperature must not be negative, it is $temperature" }
        require(decoderStartTokenId >= 0) { "decoderStartTokenId must not be negative, it is $decoderStartTokenId" }
    }

    /** Makes an [AsrTranscribeConfig], for Java. */
    public class Builder {
        private var config = AsrTranscribeConfig()

        public fun setMaxNewTokens(maxNewTokens: Long): Builder = apply { config = config.copy(maxNewTokens = maxNewTokens) }

        public fun setTemperature(temperature: Float): Builder = apply { config = config.copy(temperature = temperature) }

        public fun setDecoderStartTokenId(decoderStartTokenId: Long): Builder =
            apply { config = config.copy(decoderStartTokenId = decoderStartTokenId) }

        public fun build(): AsrTranscribeConfig = config
    }
}
