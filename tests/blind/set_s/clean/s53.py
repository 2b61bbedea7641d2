import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def as_array(t):
    return t.cpu().numpy()


class SiameseNet(nn.Module):
    def __init__(self, inp=8, dim=4):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(inp, 16), nn.ReLU(), nn.Linear(16, dim))

    def forward(self, x):
        return F.normalize(self.net(x), dim=-1)

    @torch.no_grad()
    def embed_all(self, x, batch=16):
        training = self.training
        self.eval()
        parts = [as_array(self(chunk)) for chunk in x.split(batch)]
        self.train(training)
        return np.concatenate(parts)


def recall_at_1(emb, labels):
    sim = emb @ emb.T
    np.fill_diagonal(sim, -np.inf)
    return float(np.mean(labels[sim.argmax(1)] == labels))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
labels = np.repeat(np.arange(4), 12)
centres = np.random.default_rng(0).normal(size=(4, 8)).astype(np.float32)
x = torch.from_numpy(centres[labels]).to(device) + 0.3 * torch.randn(48, 8, device=device)
y = torch.from_numpy(labels).to(device)
model = SiameseNet().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(5):
    emb = model(x)
    sim = emb @ emb.T / 0.1
    same = (y[:, None] == y[None, :]).float().fill_diagonal_(0)
    log_p = F.log_softmax(sim - 1e4 * torch.eye(len(y), device=device), dim=1)
    loss = -(log_p * same).sum(1).div(same.sum(1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history = as_array(loss.detach()), recall_at_1(model.embed_all(x), labels)
    print(epoch, *history)
