import torch
import torch.nn as nn
import torch.nn.functional as F


class LoRALinear(nn.Linear):
    def __init__(self, cin, cout, rank=4, alpha=8):
        super().__init__(cin, cout)
        self.weight.requires_grad_(False)
        self.a = nn.Parameter(torch.randn(rank, cin) / cin**0.5)
        self.b = nn.Parameter(torch.zeros(cout, rank))
        self.scale = alpha / rank

    def forward(self, x):
        base = super().forward(x)
        return base + F.linear(F.linear(x, self.a), self.b) * self.scale


class ForwardBackward:
    """The two passes of the sum-product algorithm for a chain, in log space."""

    def __init__(self, log_trans):
        self.log_trans = log_trans

    def forward(self, log_emit):
        alpha = log_emit[:, 0]
        for t in range(1, log_emit.size(1)):
            alpha = torch.logsumexp(alpha[:, :, None] + self.log_trans, dim=1) + log_emit[:, t]
        return torch.logsumexp(alpha, dim=1)

    def score(self, log_emit, path):
        emit = log_emit.gather(2, path[..., None]).squeeze(-1).sum(dim=1)
        return emit + self.log_trans[path[:, :-1], path[:, 1:]].sum(dim=1)


class Tagger(nn.Module):
    def __init__(self, feats, tags):
        super().__init__()
        self.proj = LoRALinear(feats, tags)
        self.trans = nn.Parameter(torch.zeros(tags, tags))

    def forward(self, x, path):
        log_emit = self.proj(x)
        chain = ForwardBackward(self.trans)
        return (chain.forward(log_emit) - chain.score(log_emit, path)).mean()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Tagger(12, 5).to(device)
opt = torch.optim.Adam((p for p in model.parameters() if p.requires_grad), lr=1e-2)
for _ in range(4):
    x = torch.randn(4, 9, 12, device=device)
    path = torch.randint(0, 5, (4, 9), device=device)
    loss = model(x, path)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
