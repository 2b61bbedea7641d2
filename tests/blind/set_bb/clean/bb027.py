import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call


def get_device():
    return torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")


class Sines:
    def __init__(self, device):
        self.device = device

    def draw(self):
        amp, phase = torch.rand(2).tolist()

        def sample(k):
            x = torch.empty(k, 1, device=self.device).uniform_(-5, 5)
            return x, (0.5 + amp) * torch.sin(x + 3 * phase)

        return sample


class MAML:
    def __init__(self, model, inner_lr, inner_steps, first_order=False):
        self.model = model
        self.inner_lr = inner_lr
        self.inner_steps = inner_steps
        self.first_order = first_order

    def adapt(self, x, y):
        fast = dict(self.model.named_parameters())
        for _ in range(self.inner_steps):
            loss = F.mse_loss(functional_call(self.model, fast, (x,)), y)
            grads = torch.autograd.grad(loss, list(fast.values()), create_graph=not self.first_order)
            fast = {n: w - self.inner_lr * g for (n, w), g in zip(fast.items(), grads)}
        return fast

    def task_loss(self, sampler):
        fast = self.adapt(*sampler(10))
        xq, yq = sampler(15)
        return F.mse_loss(functional_call(self.model, fast, (xq,)), yq)


def evaluate(learner, tasks, n=3):
    """adaptation needs gradients even at test time"""
    out = []
    for _ in range(n):
        out.append(learner.task_loss(tasks.draw()).item())
    return sum(out) / n


def main():
    torch.manual_seed(0)
    device = get_device()
    net = nn.Sequential(nn.Linear(1, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, 1)).to(device)
    learner = MAML(net, 0.01, 2)
    tasks = Sines(device)
    meta_opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for it in range(5):
        meta_opt.zero_grad()
        meta_loss = torch.stack([learner.task_loss(tasks.draw()) for _ in range(4)]).mean()
        meta_loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 10.0)
        meta_opt.step()
    learner.first_order = True
    print("after adaptation", evaluate(learner, tasks))


if __name__ == "__main__":
    main()
