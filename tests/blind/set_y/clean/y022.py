import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call


class SineTask:
    def __init__(self, device):
        self.amp = torch.rand(1, device=device) * 4 + 0.1
        self.phase = torch.rand(1, device=device) * 3.14

    def sample(self, k):
        x = torch.rand(k, 1, device=self.amp.device) * 10 - 5
        return x, self.amp * torch.sin(x + self.phase)


def adapt(model, params, x, y, inner_lr, steps, first_order=False):
    for _ in range(steps):
        loss = F.mse_loss(functional_call(model, params, (x,)), y)
        grads = torch.autograd.grad(loss, list(params.values()), create_graph=not first_order)
        params = {k: p - inner_lr * g for (k, p), g in zip(params.items(), grads)}
    return params


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(1, 24), nn.ReLU(), nn.Linear(24, 24), nn.ReLU(), nn.Linear(24, 1)).to(device)
    meta_opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for it in range(4):
        meta_opt.zero_grad()
        outer = 0.0
        for _ in range(3):
            task = SineTask(device)
            x_s, y_s = task.sample(10)
            x_q, y_q = task.sample(10)
            fast = adapt(model, dict(model.named_parameters()), x_s, y_s, 0.01, 2, first_order=it < 1)
            outer = outer + F.mse_loss(functional_call(model, fast, (x_q,)), y_q)
        (outer / 3).backward()
        nn.utils.clip_grad_value_(model.parameters(), 10.0)
        meta_opt.step()
        print(it, outer.item() / 3)


if __name__ == "__main__":
    main()
