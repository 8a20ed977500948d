"""What the graphs are made of, and that they calculate what they stand for."""

import torch

from executorch.backends.xnnpack.partition.graphs import bilinear_2d, sdpa


def operators(graph_module):
    return [str(node.target) for node in graph_module.graph.nodes if node.op == "call_function"]


def test_resizing():
    image = torch.rand(1, 3, 16, 16)
    graphs = bilinear_2d.get_graphs_dict()
    assert list(graphs.values()) == [True, True, False, False]
    assert list(graphs) == bilinear_2d.get_graphs()
    for graph, align_corners in graphs.items():
        assert len(operators(graph)) == 1 and "upsample_bilinear2d.vec" in operators(graph)[0]
        want = torch.nn.functional.interpolate(
            image, scale_factor=2, mode="bilinear", align_corners=align_corners
        )
        torch.testing.assert_close(graph(image)[0], want)


def test_attention():
    query, key, value = (torch.randn(8, 16, 32, 64) for _ in range(3))
    mask = torch.randn(32, 32)
    pieces, whole = sdpa.get_graphs()
    assert sum("bmm" in name for name in operators(pieces)) == 2
    assert len(operators(whole)) == 1 and "scaled_dot_product_attention" in operators(whole)[0]
    want = torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    for graph in (pieces, whole):
        torch.testing.assert_close(graph(query, key, value, mask)[0], want, atol=1e-4, rtol=1e-4)
