import torch
from torch import nn


class MixtureOfExperts(nn.Module):
    """Top-k routing with a load balancing term."""

    def __init__(self, dim, experts=4, k=2):
        super().__init__()
        self.router = nn.Linear(dim, experts, bias=False)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim)) for _ in range(experts))
        self.k = k

    def forward(self, x):
        flat = x.reshape(-1, x.size(-1))
        probs = self.router(flat).softmax(-1)
        weight, choice = probs.topk(self.k, dim=-1)
        weight = weight / weight.sum(-1, keepdim=True)
        out = torch.zeros_like(flat)
        for e, expert in enumerate(self.experts):
            token, slot = (choice == e).nonzero(as_tuple=True)
            if token.numel():
                out.index_add_(0, token, expert(flat[token]) * weight[token, slot].unsqueeze(-1))
        load = nn.functional.one_hot(choice, len(self.experts)).float().mean((0, 1))
        aux = (load * probs.mean(0)).sum() * len(self.experts)
        return out.view_as(x), aux


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    layer = MixtureOfExperts(8).to(device)
    optimizer = torch.optim.Adam(layer.parameters(), lr=1e-3)
    for _ in range(2):
        x = torch.randn(2, 5, 8, device=device)
        y, aux = layer(x)
        loss = (y - x).pow(2).mean() + 0.01 * aux
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())


if __name__ == "__main__":
    main()
