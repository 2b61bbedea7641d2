import copy

import torch
from torch import nn


class EMA:
    def __init__(self, model, decay=0.99):
        self.decay = decay
        self.shadow = copy.deepcopy(model).eval().requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        for s, p in zip(self.shadow.parameters(), model.parameters()):
            s.lerp_(p, 1 - self.decay)
        for s, b in zip(self.shadow.buffers(), model.buffers()):
            s.copy_(b)


def main(steps=4):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(inplace=True), nn.Linear(8, 4)).to(device)
    ema = EMA(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    best, best_state = float("inf"), None
    for _ in range(steps):
        x = torch.randn(16, 4, device=device)
        student = net(x + 0.1 * torch.randn_like(x))
        teacher = ema.shadow(x)
        loss = nn.functional.mse_loss(student, teacher) + student.pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        ema.update(net)
        if loss.item() < best:
            best = loss.item()
            best_state = {k: v.detach().clone() for k, v in net.state_dict().items()}
    net.load_state_dict(best_state)
    print(best)


if __name__ == "__main__":
    main()
