"""The parts of a prompt: text, tokens, images and audio."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

#: Characters of a part that its ``repr`` shows.
_SHOWN = 60

_KINDS = {"str": "text", "list": "tokens", "RawAudio": "raw_audio"}

Values = bytes | bytearray | Sequence[int] | Sequence[float]


class ImageShapeError(ValueError, RuntimeError):
    """An image's sizes are none; the latter as well, as released versions raise it."""


class _Values:
    """Bytes or floats with three sizes."""

    def __init__(self, data: Values, sizes: tuple[int, int, int], what: str) -> None:
        if isinstance(data, (bytes, bytearray)):
            self._bytes, self._is_float = bytes(data), False
        elif isinstance(data, array) and data.typecode == "f":
            self._bytes, self._is_float = data.tobytes(), True
        elif all(isinstance(one, int) for one in data):
            self._bytes, self._is_float = bytes(data), False  # type: ignore[arg-type]
        else:
            self._bytes, self._is_float = array("f", data).tobytes(), True
        count = len(self._bytes) // (4 if self._is_float else 1)
        if min(sizes) < 1 or count != sizes[0] * sizes[1] * sizes[2]:
            raise ValueError(f"{what} of {' x '.join(map(str, sizes))} does not have {count} values")
        self._sizes = sizes

    def is_uint8(self) -> bool:
        return not self._is_float

    def is_float(self) -> bool:
        return self._is_float

    @property
    def uint8_data(self) -> list[int]:
        """Values from 0 to 255.

        Raises:
            TypeError: they are floats.
        """
        if self._is_float:
            raise TypeError("these values are floats: use float_data")
        return list(self._bytes)

    @property
    def float_data(self) -> list[float]:
        """Values in single precision.

        Raises:
            TypeError: they are bytes.
        """
        if not self._is_float:
            raise TypeError("these values are bytes: use uint8_data")
        return array("f", self._bytes).tolist()


class Image(_Values):
    """A picture as an encoder takes it: channels, rows and columns, in this order, of whole numbers from 0 to 255 or of floats."""

    def __init__(self, data: Values, width: int, height: int, channels: int) -> None:
        super().__init__(data, (width, height, channels), "an image")

    width = property(lambda self: self._sizes[0])
    height = property(lambda self: self._sizes[1])
    channels = property(lambda self: self._sizes[2])

    def __repr__(self) -> str:
        return f"Image(width={self.width}, height={self.height}, channels={self.channels})"


class Audio(_Values):
    """Frames of a spectrogram: batches, bins and frames, in this order, of whole numbers from 0 to 255 or of floats."""

    def __init__(self, data: Values, batch_size: int, n_bins: int, n_frames: int) -> None:
        super().__init__(data, (batch_size, n_bins, n_frames), "audio")

    batch_size = property(lambda self: self._sizes[0])
    n_bins = property(lambda self: self._sizes[1])
    n_frames = property(lambda self: self._sizes[2])


class RawAudio(_Values):
    """Samples: batches, channels and samples, in this order, of whole numbers from 0 to 255 or of floats."""

    def __init__(self, data: Values, batch_size: int, n_channels: int, n_samples: int) -> None:
        super().__init__(data, (batch_size, n_channels, n_samples), "raw audio")

    batch_size = property(lambda self: self._sizes[0])
    n_channels = property(lambda self: self._sizes[1])
    n_samples = property(lambda self: self._sizes[2])


class MultimodalInput:
    """A part of a prompt: text, tokens, an image or audio."""

    def __init__(self, value: str | Sequence[int] | Image | Audio | RawAudio) -> None:
        if not isinstance(value, (str, Image, Audio, RawAudio)):
            value = [int(token) for token in value]
            if any(token < 0 for token in value):
                raise ValueError("tokens are whole numbers from 0 on")
        self._value = value

    def is_text(self) -> bool:
        return isinstance(self._value, str)

    def is_tokens(self) -> bool:
        return isinstance(self._value, list)

    def is_image(self) -> bool:
        return isinstance(self._value, Image)

    def is_audio(self) -> bool:
        return isinstance(self._value, Audio)

    def is_raw_audio(self) -> bool:
        return isinstance(self._value, RawAudio)

    def get_text(self) -> str | None:
        """The text, or None for another kind; the same for those below."""
        return self._value if isinstance(self._value, str) else None

    def get_tokens(self) -> list[int] | None:
        return list(self._value) if isinstance(self._value, list) else None

    def get_image(self) -> Image | None:
        return self._value if isinstance(self._value, Image) else None

    def get_audio(self) -> Audio | None:
        return self._value if isinstance(self._value, Audio) else None

    def get_raw_audio(self) -> RawAudio | None:
        return self._value if isinstance(self._value, RawAudio) else None

    def __repr__(self) -> str:
        kind = type(self._value).__name__
        shown = repr(self._value)
        if len(shown) > _SHOWN:
            shown = f"{shown[:_SHOWN]}..."
        return f"MultimodalInput(type={_KINDS.get(kind, kind.lower())}, {shown})"


def make_text_input(text: str) -> MultimodalInput:
    """Text."""
    return MultimodalInput(str(text))


def make_token_input(tokens: Sequence[int]) -> MultimodalInput:
    """Tokens, as the model has them."""
    return MultimodalInput(list(tokens))


def make_image_input(image_tensor: Any) -> MultimodalInput:
    """An image out of a tensor of PyTorch or NumPy, uint8 or float32.

    Args:
        image_tensor: ``[C, H, W]`` or ``[H, W, C]``, with a batch of one before it or not. Images have 1, 3 or 4 channels; where both
            ends could be that, the first is.

    Raises:
        ImageShapeError: it has other sizes.
        TypeError: it has another dtype.
    """
    pixels = _array(image_tensor, "an image")
    if pixels.ndim == 4 and pixels.shape[0] == 1:
        pixels = pixels[0]
    channels = (1, 3, 4)
    if pixels.ndim != 3 or not {pixels.shape[0], pixels.shape[2]} & set(channels):
        raise ImageShapeError(
            "an image is 3-dimensional, [C, H, W] or [H, W, C] with 1, 3 (RGB) or 4 (RGBA) channels, not "
            f"{list(image_tensor.shape)}"
        )
    if pixels.shape[0] not in channels:
        pixels = pixels.transpose(2, 0, 1)
    count, height, width = pixels.shape
    return MultimodalInput(Image(_values(pixels), width, height, count))


def make_audio_input(audio_tensor: Any) -> MultimodalInput:
    """Frames of a spectrogram, ``[batch_size, n_bins, n_frames]``, of PyTorch or NumPy, uint8 or float32.

    Raises:
        ValueError, TypeError: as of an image.
    """
    return MultimodalInput(Audio(*_three(audio_tensor, "audio", "[batch_size, n_bins, n_frames]")))


def make_raw_audio_input(audio_tensor: Any) -> MultimodalInput:
    """Samples, ``[batch_size, n_channels, n_samples]``; otherwise as ``make_audio_input``."""
    return MultimodalInput(
        RawAudio(*_three(audio_tensor, "raw audio", "[batch_size, n_channels, n_samples]"))
    )


def _three(tensor: Any, what: str, sizes: str) -> tuple[Values, int, int, int]:
    values = _array(tensor, what)
    if values.ndim != 3:
        raise ValueError(f"{what} is {sizes}, not {list(values.shape)}")
    first, second, third = values.shape
    return _values(values), first, second, third


def _array(tensor: Any, what: str) -> Any:
    """As NumPy has it."""
    found = tensor.detach().cpu().numpy() if hasattr(tensor, "detach") else tensor
    if getattr(found, "dtype", None) not in ("uint8", "float32"):
        raise TypeError(
            f"{what} is a tensor of uint8 or float32, not {getattr(tensor, 'dtype', type(tensor))}"
        )
    return found


def _values(found: Any) -> Values:
    raw: bytes = found.tobytes()
    if found.dtype == "uint8":
        return raw
    floats = array("f")
    floats.frombytes(raw)
    return floats
