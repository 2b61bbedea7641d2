import torch
import torch.nn as nn
import torch.nn.functional as F

from export import DetourToHost, host_copy, host_state, to_bytes


class Ranker(nn.Module):
    def __init__(self, dim=14):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


def pair_loss(model, a, b, first):
    diff = model(a) - model(b)
    return F.binary_cross_entropy_with_logits(diff, first)


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Ranker().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    probe = torch.randn(10, 14)
    best, best_state = float("inf"), None
    for epoch in range(3):
        model.train()
        for _ in range(4):
            a, b = torch.randn(2, 32, 14, device=device)
            loss = pair_loss(model, a, b, (a.sum(1) > b.sum(1)).float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if loss.item() < best:
            best, best_state = loss.item(), host_state(model)
        frozen = host_copy(model)
        with torch.inference_mode():
            print(epoch, frozen(probe).argsort()[:3].tolist(), model.training)
    model.load_state_dict(best_state)
    model.eval()
    with DetourToHost(model) as resting, torch.inference_mode():
        size = len(to_bytes(resting.state_dict()))
        scores = resting(probe)
    with torch.inference_mode():
        again = model(probe.to(device)).cpu()
    print(best, size, torch.allclose(scores, again, atol=1e-5))


if __name__ == "__main__":
    main()
