import torch

from sac import SAC


def fake_batch(n, device):
    s = torch.randn(n, 5, device=device)
    a = torch.rand(n, 2, device=device) * 2 - 1
    return s, a, -(s[:, :2] - a).pow(2).sum(1), torch.randn(n, 5, device=device)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    agent = SAC(5, 2, device)
    for i in range(3):
        print(i, agent.update(*fake_batch(32, device)))
