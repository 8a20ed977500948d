"""Speech to letters by convolutions alone."""

from executorch.examples.models.wav2letter.model import Wav2LetterModel

__all__ = ["Wav2LetterModel"]
