import copy

import torch
from torch import nn


class ModelEMA:
    """Exponential moving average of parameters; buffers are copied."""

    def __init__(self, model, decay=0.99, warmup=10):
        self.module = copy.deepcopy(model).eval()
        for p in self.module.parameters():
            p.requires_grad_(False)
        self.decay = decay
        self.warmup = warmup
        self.updates = 0

    def rate(self):
        return min(self.decay, (1 + self.updates) / (self.warmup + self.updates))

    @torch.no_grad()
    def update(self, model):
        self.updates += 1
        d = self.rate()
        source = model.state_dict()
        for key, value in self.module.state_dict().items():
            if value.dtype.is_floating_point:
                value *= d
                value += (1.0 - d) * source[key].detach()
            else:
                value.copy_(source[key])

    def state_dict(self):
        return {"module": self.module.state_dict(), "updates": self.updates}

    def load_state_dict(self, state):
        self.module.load_state_dict(state["module"])
        self.updates = state["updates"]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.seq = nn.Sequential(nn.Linear(5, 20), nn.BatchNorm1d(20), nn.ReLU(), nn.Linear(20, 1))

    def forward(self, x):
        return self.seq(x).squeeze(1)


@torch.no_grad()
def rmse(model, x, y):
    was_training = model.training
    model.eval()
    err = (model(x) - y).square().mean().sqrt().item()
    model.train(was_training)
    return err


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    model = Net()
    model.to(device)
    ema = ModelEMA(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)

    X = torch.randn(300, 5, device=device)
    Y = X @ torch.randn(5, device=device) + 0.3
    x_val, y_val = X[250:], Y[250:]

    model.train()
    for step in range(60):
        idx = torch.randint(0, 250, (32,))
        loss = (model(X[idx]) - Y[idx]).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        ema.update(model)
        if (step + 1) % 20 == 0:
            print(step + 1, "raw", rmse(model, x_val, y_val), "ema", rmse(ema.module, x_val, y_val))

    restored = ModelEMA(model)
    restored.load_state_dict(ema.state_dict())
    assert rmse(restored.module, x_val, y_val) == rmse(ema.module, x_val, y_val)
