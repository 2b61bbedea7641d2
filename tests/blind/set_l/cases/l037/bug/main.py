import torch
import torch.nn.functional as F

from cells import Stack


def adding_problem(n, steps=12):
    values = torch.rand(n, steps)
    marks = torch.zeros(n, steps).scatter_(1, torch.rand(n, steps).topk(2).indices, 1.0)
    return torch.stack([values, marks], -1), (values * marks).sum(1, keepdim=True)


def main(steps=5, lr=1e-2):
    model = Stack(2, 16, 1)
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for step in range(steps):
        x, y = adding_problem(32)
        loss = F.mse_loss(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
