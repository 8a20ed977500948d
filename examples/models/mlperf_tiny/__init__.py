"""The four models of MLPerf Tiny 1.0 in their published shapes (https://github.com/mlcommons/tiny), with random weights."""

from executorch.examples.models.mlperf_tiny.deep_autoencoder import DeepAutoEncoderModel
from executorch.examples.models.mlperf_tiny.ds_cnn import DSCNNKWSModel
from executorch.examples.models.mlperf_tiny.mobilenet_v1_025 import MobileNetV1025Model
from executorch.examples.models.mlperf_tiny.resnet8 import ResNet8Model

__all__ = ["DSCNNKWSModel", "DeepAutoEncoderModel", "MobileNetV1025Model", "ResNet8Model"]
