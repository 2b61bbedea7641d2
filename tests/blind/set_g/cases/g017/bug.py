import torch
import torch.nn as nn
import torch.nn.functional as F


class Policy(nn.Module):
    def __init__(self, obs=4, act=2):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(obs, 32), nn.Tanh(), nn.Linear(32, act))

    def forward(self, obs):
        return self.pi(obs)


def expert(obs):
    return (obs[:, 0] + obs[:, 2] > 0).long()


def clone_behaviour(model, optimizer, steps, device):
    model.train()
    for _ in range(steps):
        obs = torch.randn(32, 4, device=device)
        loss = F.cross_entropy(model(obs), expert(obs))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    target = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    policy = Policy()
    optimizer = torch.optim.Adam(policy.parameters(), lr=3e-4)
    # a short warm start on the host, the long phase on the accelerator
    print("warm start", clone_behaviour(policy, optimizer, 3, "cpu"))
    policy.to(target)
    print("main phase", clone_behaviour(policy, optimizer, 5, target))
    with torch.no_grad():
        obs = torch.randn(64, 4, device=target)
        print("agreement", (policy(obs).argmax(1) == expert(obs)).float().mean().item())


if __name__ == "__main__":
    main()
