import torch


class Graph:
    """Edge list on the host; normalised operators are built once per device."""

    def __init__(self, edges, n):
        self.n = n
        self.edges = edges
        self._cache = {}

    def operator(self, device):
        key = torch.device(device)
        if key not in self._cache:
            src, dst = self.edges.to(key)
            deg = torch.zeros(self.n, device=key).index_add_(0, dst, torch.ones(len(dst), device=key))
            weight = deg.clamp(min=1).rsqrt()
            self._cache[key] = (src, dst, weight[src] * weight[dst])
        return self._cache[key]

    def propagate(self, x):
        src, dst, w = self.operator(x.device)
        return torch.zeros_like(x).index_add(0, dst, x[src] * w[:, None])


def random_graph(n=40, m=160, seed=0):
    g = torch.Generator().manual_seed(seed)
    return Graph(torch.randint(n, (2, m), generator=g), n)
