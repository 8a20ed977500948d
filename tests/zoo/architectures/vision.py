"""Image classifiers of `timm`, by the names of `timm.create_model`: (name, side of the image, arguments).

Where a family has no small member, depths and widths are given here; the code that runs is the published one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from executorch.tests.zoo.architectures.torchvision_standin import ensure_torchvision
from executorch.tests.zoo.specimen import Specimen, image

_TWO_BLOCKS: dict[str, Any] = {"depth": 2, "embed_dim": 48, "num_heads": 3, "img_size": 64}
_FOUR_STAGES: dict[str, Any] = {"depths": (1, 1, 1, 1)}

#: Name to (side of the image, arguments of ``timm.create_model``).
MODELS: Mapping[str, tuple[int, dict[str, Any]]] = {
    "beit_base_patch16_224": (64, _TWO_BLOCKS),
    "beitv2_base_patch16_224": (64, _TWO_BLOCKS),
    "botnet26t_256": (64, {"img_size": 64}),
    "caformer_s18": (64, {}),
    "cait_xxs24_224": (64, {"depth": 2, "img_size": 64}),
    "coat_lite_tiny": (64, {"img_size": 64}),
    "coatnet_pico_rw_224": (64, {"img_size": 64}),
    "convformer_s18": (64, {}),
    "convit_tiny": (64, {"depth": 2, "local_up_to_layer": 1, "img_size": 64}),
    "convnext_atto": (64, {}),
    "convnextv2_atto": (64, {}),
    "crossvit_9_240": (240, {"depth": ((1, 1, 0), (1, 1, 0), (1, 1, 0))}),
    "cs3darknet_s": (64, {}),
    "davit_tiny": (64, {**_FOUR_STAGES, "embed_dims": (24, 48, 96, 192), "num_heads": (1, 2, 4, 8)}),
    "deit3_small_patch16_224": (64, _TWO_BLOCKS),
    "deit_tiny_distilled_patch16_224": (64, _TWO_BLOCKS),
    "densenet121": (64, {"block_config": (2, 2, 2, 2)}),
    "dla46_c": (64, {}),
    "dpn48b": (64, {}),
    "eca_nfnet_l0": (64, {}),
    "eca_resnet33ts": (64, {}),
    "edgenext_xx_small": (64, {}),
    "efficientformer_l1": (224, {"depths": (1, 1, 1, 2), "num_vit": 1}),
    "efficientformerv2_s0": (64, {"img_size": 64}),
    "efficientnet_b0": (64, {}),
    "efficientnet_lite0": (64, {}),
    "efficientnetv2_rw_t": (64, {}),
    "efficientvim_m1": (64, {}),
    "efficientvit_b0": (64, {}),
    "efficientvit_m0": (64, {"img_size": 64}),
    "ese_vovnet19b_slim": (64, {}),
    "eva02_tiny_patch14_224": (56, {"depth": 2, "img_size": 56}),
    "fasternet_t0": (64, {}),
    "fastvit_t8": (64, {}),
    "fbnetv3_b": (64, {}),
    "focalnet_tiny_srf": (64, {}),
    "gcvit_xxtiny": (64, {"img_size": 64}),
    "gernet_s": (64, {}),
    "ghostnet_050": (64, {}),
    "ghostnetv2_100": (64, {}),
    "gmixer_12_224": (64, {"img_size": 64}),
    "gmlp_ti16_224": (64, {"img_size": 64}),
    "halonet26t": (256, {}),
    "hardcorenas_a": (64, {}),
    "hgnetv2_b0": (64, {}),
    "hiera_tiny_224": (224, {"stages": (1, 1, 1, 1), "embed_dim": 24}),
    "hrnet_w18_small": (64, {}),
    "iformer_t": (64, {}),
    "inception_next_atto": (64, {}),
    "inception_v3": (128, {}),
    "lambda_resnet26rpt_256": (64, {"img_size": 64}),
    "lcnet_050": (64, {}),
    "legacy_seresnet18": (64, {}),
    "legacy_xception": (64, {}),
    "levit_128s": (64, {"img_size": 64}),
    "mambaout_femto": (64, {}),
    "maxvit_rmlp_pico_rw_256": (64, {"img_size": 64}),
    "mixer_s16_224": (64, {"img_size": 64}),
    "mnasnet_small": (64, {}),
    "mobilenet_edgetpu_v2_xs": (64, {}),
    "mobilenetv1_100": (64, {}),
    "mobilenetv2_050": (64, {}),
    "mobilenetv3_small_050": (64, {}),
    "mobilenetv4_conv_small_050": (64, {}),
    "mobileone_s0": (64, {}),
    "mobilevit_xxs": (64, {}),
    "mobilevitv2_050": (64, {}),
    "mvitv2_tiny": (64, {"img_size": 64}),
    "nest_tiny": (64, {"img_size": 64}),
    "nextvit_small": (64, {}),
    "nf_regnet_b0": (64, {}),
    "pit_ti_224": (64, {"img_size": 64}),
    "poolformer_s12": (64, {}),
    "pvt_v2_b0": (64, {}),
    "regnetx_002": (64, {}),
    "regnety_002": (64, {}),
    "repghostnet_050": (64, {}),
    "repvgg_a0": (64, {}),
    "repvit_m0_9": (64, {}),
    "res2net50_14w_8s": (64, {"layers": (1, 1, 1, 1)}),
    "resmlp_12_224": (64, {"img_size": 64}),
    "resnest14d": (64, {}),
    "resnet10t": (64, {}),
    "resnetv2_18": (64, {}),
    "resnext26ts": (64, {}),
    "rexnet_100": (64, {}),
    "selecsls42": (64, {}),
    "semnasnet_075": (64, {}),
    "sequencer2d_s": (64, {"layers": (1, 1, 1, 1), "img_size": 64}),
    "shvit_s1": (64, {}),
    "skresnet18": (64, {}),
    "starnet_s050": (64, {}),
    "swiftformer_xs": (64, {}),
    "swin_tiny_patch4_window7_224": (56, {**_FOUR_STAGES, "embed_dim": 24, "img_size": 56, "window_size": 7}),
    "swinv2_cr_tiny_224": (64, {**_FOUR_STAGES, "embed_dim": 24, "img_size": 64}),
    "swinv2_tiny_window8_256": (64, {**_FOUR_STAGES, "embed_dim": 24, "img_size": 64, "window_size": 4}),
    "tf_mixnet_s": (64, {}),
    "tiny_vit_5m_224": (64, {}),
    "tinynet_e": (64, {}),
    "tnt_s_patch16_224": (64, {"depth": 2, "img_size": 64}),
    "tresnet_m": (64, {"layers": (1, 1, 1, 1)}),
    "twins_svt_small": (64, {"img_size": 64, "depths": (1, 1, 2, 1)}),
    "visformer_tiny": (64, {"img_size": 64}),
    "vit_relpos_small_patch16_224": (64, _TWO_BLOCKS),
    "vit_tiny_patch16_224": (64, _TWO_BLOCKS),
    "vit_tiny_r_s16_p8_224": (64, {"depth": 2, "img_size": 64}),
    "vitamin_small_224": (64, {"img_size": 64}),
    "volo_d1_224": (64, {"img_size": 64}),
    "xception41": (64, {}),
    "xcit_nano_12_p16_224": (64, {"depth": 2, "img_size": 64}),
}


def make(name: str) -> Specimen:
    """A model with random weights for ten classes, and two images."""
    ensure_torchvision()
    import timm  # after the stand-in

    side, arguments = MODELS[name]
    model = timm.create_model(name, pretrained=False, num_classes=10, **arguments).eval()
    return Specimen(model, (image(side, batch=2),))
