import torch
import torch.nn as nn
import torch.nn.functional as F


def pick_device():
    """The newest way of asking that this torch has."""
    accelerator = getattr(torch, "accelerator", None)
    if torch.cuda.is_available():
        return torch.device("cuda")
    if accelerator is not None and accelerator.is_available():
        return accelerator.current_accelerator()
    return torch.device("cpu")


def activation(name):
    if hasattr(F, name):
        return getattr(F, name)
    if hasattr(torch, name):
        return getattr(torch, name)
    raise ValueError(f"no activation called {name!r}")


def optimizer_class(name):
    found = {k.lower(): getattr(torch.optim, k) for k in ("SGD", "Adam", "AdamW", "RMSprop")}
    return found[name.lower()]


class Scorer(nn.Module):
    def __init__(self, sizes, act="silu"):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes[:-1], sizes[1:]))
        self.act = activation(act)

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = self.act(layer(x))
        return self.layers[-1](x).squeeze(-1)


def ranking_loss(better, worse):
    return -F.logsigmoid(better - worse).mean()


if __name__ == "__main__":
    device = pick_device()
    model = Scorer([5, 16, 1]).to(device)
    optimizer = optimizer_class("adamw")(model.parameters(), lr=1e-2)
    for step in range(10):
        a, b = torch.randn(16, 5, device=device) + 1, torch.randn(16, 5, device=device)
        loss = ranking_loss(model(a), model(b))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item(), torch.special.expit(model(a).detach()).mean().item())
