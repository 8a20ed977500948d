"""Audio to what models of speech take, see :mod:`executorch.extension.audio.mel_spectrogram`."""
