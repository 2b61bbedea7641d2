import torch
import torch.nn.functional as F


def init_weights(sizes, device):
    weights = []
    for a, b in zip(sizes, sizes[1:]):
        w = torch.randn(b, a, device=device) / a ** 0.5
        weights += [w.requires_grad_(), torch.zeros(b, device=device, requires_grad=True)]
    return weights


def net(x, weights):
    for i in range(0, len(weights), 2):
        x = F.linear(x, weights[i], weights[i + 1])
        if i + 2 < len(weights):
            x = torch.tanh(x)
    return x


def sine_task(device):
    amp, phase = torch.rand(2, device=device) * torch.tensor([4.9, 3.1], device=device)

    def draw(n=10):
        x = torch.rand(n, 1, device=device) * 10 - 5
        return x, amp * torch.sin(x + phase)

    return draw


def adapt(weights, task, inner_lr, steps):
    fast = weights
    for _ in range(steps):
        x, y = task()
        grads = torch.autograd.grad(F.mse_loss(net(x, fast), y), fast, create_graph=True)
        fast = [w - inner_lr * g for w, g in zip(fast, grads)]
    return fast


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    weights = init_weights([1, 20, 20, 1], device)
    meta = torch.optim.Adam(weights, lr=1e-3)
    for it in range(5):
        losses = []
        for _ in range(3):
            task = sine_task(device)
            fast = adapt(weights, task, 0.01, 2)
            x, y = task()
            losses.append(F.mse_loss(net(x, fast), y))
        total = torch.stack(losses).mean()
        meta.zero_grad()
        total.backward()
        meta.step()
    print("meta loss", total.item())


main()
