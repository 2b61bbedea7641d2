import torch
from torch import nn


class Expert(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc1 = nn.Linear(dim, 2 * dim)
        self.fc2 = nn.Linear(2 * dim, dim)

    def forward(self, x):
        return self.fc2(self.fc1(x).relu())


class MixtureOfExperts(nn.Module):
    def __init__(self, dim=16, n_experts=3, n_classes=4):
        super().__init__()
        self.gate = nn.Linear(dim, n_experts)
        self.experts = nn.ModuleList([Expert(dim) for _ in range(n_experts)])
        self.head = nn.Linear(dim, n_classes)

    def forward(self, x):
        weights = self.gate(x).softmax(dim=-1)
        outs = torch.stack([e(x) for e in self.experts], dim=1)
        return self.head((weights.unsqueeze(-1) * outs).sum(dim=1))


def run(steps=4):
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    model = MixtureOfExperts().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    n_params = sum(p.numel() for p in model.parameters())
    print(f"{n_params} parameters on {device}")
    for step in range(steps):
        x = torch.randn(32, 16, device=device)
        y = x[:, :4].argmax(dim=1)
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, f"{loss.item():.3f}")


run()
