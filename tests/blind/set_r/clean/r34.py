import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Quantiles(nn.Module):
    def __init__(self, n_in, taus):
        super().__init__()
        self.register_buffer("taus", torch.tensor(taus))
        self.net = nn.Sequential(nn.Linear(n_in, 32), nn.SiLU(), nn.Linear(32, len(taus)))

    def forward(self, x):
        return self.net(x)

    def pinball(self, x, y):
        error = y[:, None] - self(x)
        return torch.maximum(self.taus * error, (self.taus - 1) * error).mean(0)


model = Quantiles(3, [0.1, 0.5, 0.9]).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
importance = torch.tensor([1.0, 2.0, 1.0], device=device)

for step in range(4):
    x = torch.randn(32, 3, device=device)
    y = x.sum(1) + 0.3 * torch.randn(32, device=device)
    per_quantile = model.pinball(x, y)
    optimizer.zero_grad()
    per_quantile.backward(importance)
    optimizer.step()
    print(step, per_quantile.detach().cpu().numpy().round(3))

ranker = nn.Linear(3, 1).to(device)
pair_opt = torch.optim.SGD(ranker.parameters(), lr=0.1)
for better, worse in zip(torch.randn(4, 1, 3, device=device), torch.randn(4, 1, 3, device=device)):
    gap = ranker(better) - ranker(worse)
    loss = F.softplus(-gap)
    pair_opt.zero_grad()
    loss.backward()
    pair_opt.step()

points = torch.randn(6, 3, device=device, requires_grad=True)
values = model(points)[:, 1]
values.backward(torch.ones_like(values))
print(loss.shape, points.grad.norm().item())
