import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call


class Sinusoids:
    def __init__(self, device, shots=10):
        self.device, self.shots = device, shots

    def sample(self, n):
        for _ in range(n):
            amp = torch.rand(1, device=self.device) * 4 + 0.1
            phase = torch.rand(1, device=self.device) * 3
            x = torch.rand(2 * self.shots, 1, device=self.device) * 10 - 5
            y = amp * torch.sin(x + phase)
            yield (x[: self.shots], y[: self.shots]), (x[self.shots :], y[self.shots :])


class MAML:
    def __init__(self, model, inner_lr=0.01, inner_steps=2, first_order=False):
        self.model = model
        self.inner_steps, self.first_order = inner_steps, first_order
        device = next(model.parameters()).device
        self.log_lr = {n: torch.full((), inner_lr, device=device).log().requires_grad_() for n, _ in model.named_parameters()}
        self.optimizer = torch.optim.Adam([{"params": model.parameters(), "lr": 1e-3}, {"params": list(self.log_lr.values()), "lr": 1e-4}])

    def adapt(self, support):
        x, y = support
        fast = dict(self.model.named_parameters())
        for _ in range(self.inner_steps):
            loss = F.mse_loss(functional_call(self.model, fast, (x,)), y)
            grads = torch.autograd.grad(loss, list(fast.values()), create_graph=not self.first_order)
            fast = {n: w - self.log_lr[n].exp() * g for (n, w), g in zip(fast.items(), grads)}
        return fast

    def outer(self, tasks):
        losses = []
        for support, (x, y) in tasks:
            fast = self.adapt(support)
            losses.append(F.mse_loss(functional_call(self.model, fast, (x,)), y))
        loss = torch.stack(losses).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.detach()


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Sequential(nn.Linear(1, 20), nn.ReLU(), nn.Linear(20, 20), nn.ReLU(), nn.Linear(20, 1)).to(device)
    learner = MAML(net)
    tasks = Sinusoids(device)
    history = [learner.outer(tasks.sample(3)) for _ in range(6)]
    print(torch.stack(history).tolist())
    support, (x, y) = next(tasks.sample(1))
    fast = {n: w.detach() for n, w in learner.adapt(support).items()}
    with torch.no_grad():
        print("adapted", F.mse_loss(functional_call(net, fast, (x,)), y).item())


if __name__ == "__main__":
    main()
