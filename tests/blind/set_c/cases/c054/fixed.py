import torch
from torch import nn


def net(d, out=8):
    return nn.Sequential(nn.Linear(d, 16), nn.ELU(), nn.Linear(16, out))


class RND(nn.Module):
    """Exploration bonus from the error of predicting a fixed random network."""

    def __init__(self, obs_dim):
        super().__init__()
        self.target = net(obs_dim).requires_grad_(False)
        self.predictor = net(obs_dim)

    def forward(self, obs):
        return (self.predictor(obs) - self.target(obs)).pow(2).mean(-1)

    @torch.no_grad()
    def bonus(self, obs):
        return self(obs).clamp(max=5.0)


def train_predictor(rnd, observations, epochs=10, batch=8, keep=0.25):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    rnd.to(device)
    optimizer = torch.optim.Adam(rnd.predictor.parameters(), lr=1e-3)
    for epoch in range(epochs):
        for obs in observations[torch.randperm(len(observations))].split(batch):
            obs = obs.to(device)
            error = rnd(obs)
            mask = (torch.rand_like(error) < keep).float()
            loss = (error * mask).sum() / mask.sum().clamp(min=1)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    train_predictor(RND(4), torch.randn(64, 4))
