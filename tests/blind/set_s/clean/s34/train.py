import copy

import torch
import torch.nn as nn

from teacher import MeanTeacher


def snapshot(model, features):
    """The best weights so far and the features they gave."""
    return copy.deepcopy(model.state_dict()), features.detach().clone()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))
    model = MeanTeacher(net).to(device)
    optimizer = torch.optim.Adam(model.student.parameters(), lr=5e-3)
    best, kept = float("inf"), None
    for step in range(8):
        x = torch.randn(32, 6, device=device)
        view = x + 0.1 * torch.randn_like(x)
        log_p = model(view)
        loss = -(model.targets(x) * log_p).sum(-1).mean()
        optimizer.zero_grad()
        loss.backward()
        value = loss.item()
        if value < best:
            best, kept = value, snapshot(model, log_p)
        optimizer.step()
        model.advance()
    model.load_state_dict(kept[0])
    print(best, kept[1].mean().item())


if __name__ == "__main__":
    main()
