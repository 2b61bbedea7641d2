import torch
import torch.nn.functional as F
from torch import nn


class Expert(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.up, self.down = nn.Linear(dim, hidden), nn.Linear(hidden, dim)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)))


class MoE(nn.Module):
    def __init__(self, dim=12, hidden=24, n_experts=4, top_k=2):
        super().__init__()
        self.gate = nn.Linear(dim, n_experts, bias=False)
        self.top_k = top_k
        self.experts = {}
        for i in range(n_experts):
            self.experts[f"e{i}"] = Expert(dim, hidden)

    def forward(self, x):
        probs = self.gate(x).softmax(-1)
        weight, index = probs.topk(self.top_k, dim=-1)
        weight = weight / weight.sum(-1, keepdim=True)
        out = torch.zeros_like(x)
        for i, expert in enumerate(self.experts.values()):
            rows, slot = (index == i).nonzero(as_tuple=True)
            if rows.numel():
                out = out.index_add(0, rows, weight[rows, slot].unsqueeze(1) * expert(x[rows]))
        return out, probs


class Model(nn.Module):
    def __init__(self, dim=12, classes=3):
        super().__init__()
        self.norm, self.moe, self.head = nn.LayerNorm(dim), MoE(dim), nn.Linear(dim, classes)

    def forward(self, x):
        y, probs = self.moe(self.norm(x))
        return self.head(x + y), probs.mean(0).pow(2).sum()


torch.manual_seed(4)
model = Model()
print("parameters", sum(p.numel() for p in model.parameters()))
opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
for step in range(5):
    x = torch.randn(40, 12)
    y = x[:, :3].argmax(1)
    logits, balance = model(x)
    loss = F.cross_entropy(logits, y) + 0.01 * balance
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item())
