import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class ODEFunc(nn.Module):
    def __init__(self, d=2):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, 24), nn.Tanh(), nn.Linear(24, d))

    def forward(self, t, y):
        return self.net(y**3)


def rk4(f, y, t0, t1):
    h = t1 - t0
    k1 = f(t0, y)
    k2 = f(t0 + h / 2, y + h / 2 * k1)
    k3 = f(t0 + h / 2, y + h / 2 * k2)
    k4 = f(t1, y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def odeint(f, y0, ts):
    ys = [y0]
    for a, b in zip(ts[:-1].tolist(), ts[1:].tolist()):
        ys.append(rk4(f, ys[-1], a, b))
    return torch.stack(ys)


class Runner:
    def __init__(self, model, lr):
        self.model = model
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)

    def grad_norm(self):
        total = torch.norm(torch.stack([p.grad.norm() for p in self.model.parameters()]))
        self.opt.zero_grad()
        return total.item()

    def iterate(self, y0, ts, target):
        pred = odeint(self.model, y0, ts)
        loss = F.l1_loss(pred, target)
        loss.backward()
        norm = self.grad_norm()
        self.opt.step()
        return loss.item(), norm


ts = torch.linspace(0, 1, 8)
A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]], device=device)
y0 = torch.tensor([[1.0, 0.0]], device=device)
with torch.no_grad():
    target = odeint(lambda t, y: y**3 @ A, y0, ts)
model = ODEFunc().to(device)
start = nn.utils.parameters_to_vector(model.parameters()).detach().clone()
runner = Runner(model, 1e-2)
for i in range(6):
    print(i, runner.iterate(y0, ts, target))
