"""The detector's transform against PyTorch's, and states that go from call to call, exported too."""

import torch

from executorch.examples.models.silero_vad.model import (
    CONTEXT_SIZE,
    HIDDEN_DIM,
    WINDOW_SIZE,
    Magnitudes,
    SileroVAD16k,
)


def _sound(windows):
    torch.manual_seed(0)
    return torch.randn(1, CONTEXT_SIZE + windows * WINDOW_SIZE)


def test_magnitudes_are_those_of_a_fourier_transform():
    sound = _sound(1)
    padded = torch.cat([sound, sound[:, -1 - CONTEXT_SIZE : -1].flip(1)], 1)
    expected = torch.stft(padded, 256, 128, window=torch.hann_window(256), center=False, return_complex=True)
    torch.testing.assert_close(Magnitudes()(sound), expected.abs(), atol=1e-4, rtol=1e-4)


def test_an_exported_detector_goes_through_a_sound_like_the_model():
    model, sound = SileroVAD16k().eval(), _sound(3)
    state = torch.zeros(2, 1, HIDDEN_DIM)
    exported = torch.export.export(model, (sound[:, : CONTEXT_SIZE + WINDOW_SIZE], state)).module()
    its_state, said = state, []
    for start in range(0, 3 * WINDOW_SIZE, WINDOW_SIZE):
        window = sound[:, start : start + CONTEXT_SIZE + WINDOW_SIZE]
        with torch.no_grad():
            speech, state = model(window, state)
            its_speech, its_state = exported(window, its_state)
        assert speech.shape == (1, 1) and 0 < speech < 1
        torch.testing.assert_close(its_speech, speech)
        torch.testing.assert_close(its_state, state)
        said.append(speech)
    # The state says what came before.
    with torch.no_grad():
        assert model(window, torch.zeros_like(state))[0] != said[-1]


def test_weights_have_the_names_of_the_published_file():
    names = SileroVAD16k().state_dict().keys()
    assert {
        "stft.forward_basis_buffer",
        "encoder.3.reparam_conv.weight",
        "decoder.rnn.weight_ih",
        "decoder.decoder.2.bias",
    } <= names
