# %% implicit feedback: alternating least squares, then a gradient-tuned confidence
import numpy as np
import torch

torch.manual_seed(0)
rng = np.random.default_rng(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

# %% counts
users, items, k = 25, 35, 6
taste = rng.gamma(0.5, 1.0, (users, 4)) @ rng.gamma(0.5, 1.0, (4, items))
counts = torch.from_numpy(rng.poisson(taste).astype(np.float32)).to(device)
seen = counts > 0
test = seen & (torch.rand(users, items, device=device) < 0.2)
train = counts.masked_fill(test, 0.0)
prefer = (train > 0).float()

# %% ALS, everything closed form
x = 0.1 * torch.randn(users, k, device=device)
y = 0.1 * torch.randn(items, k, device=device)
reg = 0.1 * torch.eye(k, device=device)
confidence = 1 + 5 * train
for sweep in range(4):
    gram = torch.einsum("ui,ik,il->ukl", confidence, y, y) + reg
    x = torch.linalg.solve(gram, ((confidence * prefer) @ y).unsqueeze(-1)).squeeze(-1)
    gram = torch.einsum("ui,uk,ul->ikl", confidence, x, x) + reg
    y = torch.linalg.solve(gram, ((confidence * prefer).t() @ x).unsqueeze(-1)).squeeze(-1)
    loss = (confidence * (prefer - x @ y.t()) ** 2).sum()
    print(f"sweep {sweep}: {loss.item():.1f}")

# %% tune the confidence slope by differentiating through one user update
slope = torch.tensor(5.0, device=device, requires_grad=True)
optimizer = torch.optim.Adam([slope], lr=0.3)
target = test.float()
for it in range(5):
    c = 1 + slope * train
    gram = torch.einsum("ui,ik,il->ukl", c, y, y) + reg
    xs = torch.linalg.solve(gram, ((c * prefer) @ y).unsqueeze(-1)).squeeze(-1)
    score = xs @ y.t()
    rank_loss = -(torch.log_softmax(score.masked_fill(train > 0, -1e4), dim=1) * target).sum() / target.sum()
    optimizer.zero_grad()
    rank_loss.backward()
    optimizer.step()
    with torch.no_grad():
        slope.clamp_(min=0.1)
    print(it, rank_loss.item(), slope.item())

# %% recall at 5
with torch.no_grad():
    top = (x @ y.t()).masked_fill(train > 0, float("-inf")).topk(5, dim=1).indices
    hit = test.gather(1, top).sum().item()
print("recall", hit / max(1, test.sum().item()))
similar = torch.nn.functional.normalize(y, dim=1)
print((similar @ similar[0]).topk(4).indices.cpu().numpy())
