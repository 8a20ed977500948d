"""Name of a model -> module below ``executorch.examples.models`` and class, for ``EagerModelFactory.create_model``."""

MODEL_NAME_TO_MODEL = {
    "mul": ("toy_model", "MulModule"),
    "linear": ("toy_model", "LinearModule"),
    "add": ("toy_model", "AddModule"),
    "add_mul": ("toy_model", "AddMulModule"),
    "softmax": ("toy_model", "SoftmaxModule"),
    "w2l": ("wav2letter", "Wav2LetterModel"),
    "dl3": ("packaged", "DeepLabV3ResNet50Model"),
    "mv2": ("packaged", "MV2Model"),
    "mv2_untrained": ("packaged", "MV2UntrainedModel"),
    "mv3": ("packaged", "MV3Model"),
    "vit": ("packaged", "TorchVisionViTModel"),
    "ic3": ("packaged", "InceptionV3Model"),
    "resnet18": ("packaged", "ResNet18Model"),
    "resnet50": ("packaged", "ResNet50Model"),
}
