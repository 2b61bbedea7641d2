import torch
from layers import Temporal


def series(batch, n):
    t = torch.arange(n + 1) / 8
    phase = torch.rand(batch, 1) * 6
    s = torch.sin(t + phase) + 0.1 * torch.randn(batch, n + 1)
    return s[:, None, :-1], s[:, None, 1:]


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Temporal(8).to(device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for step in range(3):
        x, y = (t.to(device) for t in series(4, 32))
        loss = torch.nn.functional.mse_loss(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
