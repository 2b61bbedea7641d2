import copy
import torch
from torch import nn


class Scorer(nn.Module):
    def __init__(self, dim=12):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(dim, 24), nn.ReLU(), nn.Linear(24, 1))

    def forward(self, x):
        return self.layers(x).squeeze(-1)


def snapshot(model):
    frozen = copy.deepcopy(model).to("cpu")
    return frozen.eval().requires_grad_(False)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Scorer()
    same = model.to(device)
    opt = torch.optim.SGD(same.parameters(), lr=0.05)
    val_x = torch.randn(40, 12)
    val_y = val_x.mean(dim=1)
    best, best_model = float("inf"), None
    for step in range(6):
        x = torch.randn(32, 12).to(device)
        loss = nn.functional.mse_loss(model(x), x.mean(dim=1))
        opt.zero_grad()
        loss.backward()
        opt.step()
        candidate = snapshot(model)
        score = nn.functional.mse_loss(candidate(val_x), val_y).item()
        if score < best:
            best, best_model = score, candidate
    model.cpu()
    model.load_state_dict(best_model.state_dict())
    model.eval()
    with torch.no_grad():
        print("best", best, "final", nn.functional.mse_loss(model(val_x), val_y).item())


main()
