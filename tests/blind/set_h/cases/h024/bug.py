import torch
import torch.nn as nn
import torch.nn.functional as F


class Embedder(nn.Module):
    def __init__(self, cin=12, dim=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(cin, 48), nn.ReLU(), nn.Linear(48, dim))

    def forward(self, x):
        return F.normalize(self.net(x), dim=-1)


class PrototypicalLoss(nn.Module):
    """Few-shot episodes of different sizes; one loss per episode, their mean is optimised."""

    def __init__(self, temperature=0.2):
        super().__init__()
        self.temperature = temperature

    def episode(self, support, query, n_way):
        protos = support.view(n_way, -1, support.size(-1)).mean(1)
        logits = -torch.cdist(query, protos) / self.temperature
        target = torch.arange(n_way, device=query.device).repeat_interleave(query.size(0) // n_way)
        return F.cross_entropy(logits, target)

    def forward(self, episodes):
        losses = [self.episode(*e) for e in episodes]
        return torch.tensor([l.item() for l in losses], requires_grad=True).mean()


def sample_episode(n_way, shots, queries, device):
    centers = torch.randn(n_way, 1, 12, device=device) * 2
    support = centers + 0.5 * torch.randn(n_way, shots, 12, device=device)
    query = centers + 0.5 * torch.randn(n_way, queries, 12, device=device)
    return support.flatten(0, 1), query.flatten(0, 1)


class MetaTrainer:
    def __init__(self, lr=1e-3):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = Embedder().to(self.device)
        self.criterion = PrototypicalLoss()
        self.opt = torch.optim.Adam(self.net.parameters(), lr=lr)

    def step(self, ways=(3, 5, 4)):
        episodes = []
        for n_way in ways:
            s, q = sample_episode(n_way, 2, 3, self.device)
            episodes.append((self.net(s), self.net(q), n_way))
        loss = self.criterion(episodes)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


if __name__ == "__main__":
    trainer = MetaTrainer()
    for it in range(6):
        value = trainer.step()
        if it % 3 == 0:
            print(it, round(value, 4))
