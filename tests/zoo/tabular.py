"""Networks on vectors and graphs: perceptrons, recommendation, message passing, radiance fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional as F

from executorch.tests.zoo.specimen import ALL_FLOATS, Specimen


def _perceptron(full: bool) -> nn.Module:
    width = 1024 if full else 16
    layers = [nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width)]
    return nn.Sequential(*layers).eval()


def mlp(full: bool) -> Specimen:
    """Three layers of 1024 in full size."""
    return Specimen(_perceptron(full), (torch.randn(1, 1024 if full else 16),), tolerance=ALL_FLOATS)


def mlp_dynamic(full: bool) -> Specimen:
    """The batch is dynamic within bounds."""
    width = 1024 if full else 16
    inputs = [(torch.randn(batch, width),) for batch in (3, 1, 8)]
    return Specimen(_perceptron(full), inputs[0], ({0: Dim("batch", min=1, max=8)},), tuple(inputs[1:]))


class Dlrm(nn.Module):
    """Recommendation (Naumov et al. 2019): embeddings of categories, a dense tower, pairwise products."""

    rows: torch.Tensor
    columns: torch.Tensor

    def __init__(self, categories: list[int], width: int, dense: int) -> None:
        super().__init__()
        self.embeddings = nn.ModuleList(nn.Embedding(count, width) for count in categories)
        self.bottom = nn.Sequential(
            nn.Linear(dense, 2 * width), nn.ReLU(), nn.Linear(2 * width, width), nn.ReLU()
        )
        towers = len(categories) + 1
        rows, columns = torch.tril_indices(towers, towers, -1)
        self.register_buffer("rows", rows)
        self.register_buffer("columns", columns)
        self.top = nn.Sequential(nn.Linear(width + len(rows), width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, dense: torch.Tensor, sparse: list[torch.Tensor]) -> torch.Tensor:
        tower = self.bottom(dense)
        towers = [tower, *(table(ids) for table, ids in zip(self.embeddings, sparse, strict=True))]
        stacked = torch.stack(towers, 1)
        products = torch.bmm(stacked, stacked.transpose(1, 2))[:, self.rows, self.columns]
        return torch.sigmoid(self.top(torch.cat([tower, products], 1))).squeeze(-1)


def dlrm(full: bool) -> Specimen:
    """Eight tables of 10,000 rows in full size; the categories come as a list."""
    categories, width, dense = ([10_000] * 8, 64, 13) if full else ([7, 5, 9], 4, 6)
    sparse = [torch.randint(0, count, (4,)) for count in categories]
    return Specimen(Dlrm(categories, width, dense).eval(), (torch.randn(4, dense), sparse))


class GraphConvolution(nn.Module):
    """Two layers of message passing along an edge list (Kipf and Welling 2017)."""

    def __init__(self, inputs: int, hidden: int, classes: int) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(inputs, hidden), nn.Linear(hidden, classes)

    @staticmethod
    def _gather(x: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        source, target = edges[0], edges[1]
        ones = torch.ones_like(source, dtype=x.dtype)
        degree = torch.zeros(x.shape[0], dtype=x.dtype).scatter_add(0, target, ones) + 1
        scale = degree.rsqrt()
        messages = x[source] * (scale[source] * scale[target]).unsqueeze(-1)
        index = target.unsqueeze(-1).expand_as(messages)
        return x / degree.unsqueeze(-1) + torch.zeros_like(x).scatter_add(0, index, messages)

    def forward(self, x: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        x = F.relu(self._gather(self.first(x), edges))
        return F.log_softmax(self._gather(self.second(x), edges), -1)


def gcn(full: bool) -> Specimen:
    """The size of the Cora citation graph in full size; the number of edges is dynamic."""
    nodes, inputs, hidden, classes, edges = (2708, 1433, 16, 7, 5429) if full else (9, 6, 8, 3, 14)
    module = GraphConvolution(inputs, hidden, classes).eval()
    x = torch.randn(nodes, inputs)
    first, other = torch.randint(0, nodes, (2, edges)), torch.randint(0, nodes, (2, edges // 2))
    shapes = (None, {1: Dim("edges", min=2, max=2 * edges)})
    return Specimen(module, (x, first), shapes, ((x, other),))


class RadianceField(nn.Module):
    """NeRF (Mildenhall et al. 2020): colours along rays from sines of positions, composed front to back."""

    scales: torch.Tensor

    def __init__(self, frequencies: int, hidden: int) -> None:
        super().__init__()
        self.register_buffer("scales", 2.0 ** torch.arange(frequencies))
        encoded = 3 * 2 * frequencies
        self.first, self.skip = nn.Linear(encoded, hidden), nn.Linear(hidden + encoded, hidden)
        self.density, self.colour = nn.Linear(hidden, 1), nn.Linear(hidden, 3)

    def forward(self, origin: torch.Tensor, direction: torch.Tensor, depths: torch.Tensor) -> torch.Tensor:
        points = origin[:, None] + direction[:, None] * depths[None, :, None]
        angles = (points.unsqueeze(-1) * self.scales).flatten(-2)
        encoded = torch.cat([torch.sin(angles), torch.cos(angles)], -1)
        hidden = F.relu(self.first(encoded))
        hidden = F.relu(self.skip(torch.cat([hidden, encoded], -1)))
        thickness = F.softplus(self.density(hidden)).squeeze(-1) * (depths[1] - depths[0])
        passed = torch.exp(-torch.cumsum(thickness, -1))
        weights = (1 - torch.exp(-thickness)) * passed
        return (weights.unsqueeze(-1) * torch.sigmoid(self.colour(hidden))).sum(1)


def nerf(full: bool) -> Specimen:
    """1024 rays of 64 samples in full size."""
    rays, samples, frequencies, hidden = (1024, 64, 10, 256) if full else (3, 5, 3, 8)
    inputs = (
        torch.randn(rays, 3),
        F.normalize(torch.randn(rays, 3), dim=-1),
        torch.linspace(0.1, 2.0, samples),
    )
    return Specimen(RadianceField(frequencies, hidden).eval(), inputs)


FACTORIES: Mapping[str, Callable[[bool], Specimen]] = {
    factory.__name__: factory for factory in (mlp, mlp_dynamic, dlrm, gcn, nerf)
}
