import torch
import torch.nn as nn
import torch.nn.functional as F

from prompt_model import PromptedEncoder


class Mixer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.inner = nn.Linear(dim, dim)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        return self.norm(x + torch.tanh(self.inner(x)).mean(dim=1, keepdim=True))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = PromptedEncoder(nn.Sequential(Mixer(12), Mixer(12)), 12, 4, 3, device)
trained = {name: p for name, p in model.named_parameters() if p.requires_grad}
names = list(trained)
optimizer = torch.optim.AdamW(trained.values(), lr=1e-3)
print(sum(p.numel() for p in trained.values()), "trained values")

for step in range(4):
    tokens = torch.randn(10, 6, 12, device=device)
    labels = torch.randint(0, 3, (10,), device=device)
    optimizer.zero_grad()
    loss = F.cross_entropy(model(tokens), labels)
    loss.backward()
    optimizer.step()
    print(step, loss.item())
