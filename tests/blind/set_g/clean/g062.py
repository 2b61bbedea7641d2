import torch
import torch.nn as nn

LOG_2PI = torch.log(torch.tensor(2 * torch.pi))
EPS = torch.tensor(1e-6)


class GaussianHead(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.mean = nn.Linear(n_in, n_out)
        self.log_std = nn.Linear(n_in, n_out)

    def forward(self, h):
        return self.mean(h), self.log_std(h).clamp(-5.0, 2.0)


def nll(mean, log_std, target):
    # both constants are 0-dim and join in from the host
    z = (target - mean) / (log_std.exp() + EPS)
    return (0.5 * z.pow(2) + log_std + 0.5 * LOG_2PI).sum(-1).mean()


def schedule(step, total):
    return 0.5 * (1 + torch.cos(torch.tensor(step / total) * torch.pi))


def main(total=4):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    body = nn.Sequential(nn.Linear(3, 16), nn.Tanh()).to(device)
    head = GaussianHead(16, 2).to(device)
    params = [*body.parameters(), *head.parameters()]
    opt = torch.optim.Adam(params, lr=1e-2)
    for step in range(total):
        x = torch.randn(32, 3, device=device)
        y = x[:, :2] * 2 + 0.1 * torch.randn(32, 2, device=device)
        mean, log_std = head(body(x))
        weight = schedule(step, total)
        loss = nll(mean, log_std, y) * weight + 1e-4 * mean.pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
