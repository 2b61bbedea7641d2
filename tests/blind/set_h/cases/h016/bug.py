import torch
import torch.nn as nn
import torch.nn.functional as F


def fake_quant(w, bits):
    """Symmetric per-channel grid, as the deployed kernel sees the weights."""
    top = 2 ** (bits - 1) - 1
    scale = w.detach().abs().amax(dim=1, keepdim=True).clamp_min(1e-8) / top
    return torch.round(w / scale).clamp(-top, top) * scale


class QuantLinear(nn.Linear):
    def __init__(self, cin, cout, bits=4):
        super().__init__(cin, cout)
        self.bits = bits

    def forward(self, x):
        return F.linear(x, fake_quant(self.weight, self.bits), self.bias)


class QuantMLP(nn.Module):
    def __init__(self, cin=12, hidden=40, cout=3, bits=4):
        super().__init__()
        self.a = QuantLinear(cin, hidden, bits)
        self.b = QuantLinear(hidden, cout, bits)

    def forward(self, x):
        return self.b(torch.tanh(self.a(x)))


class QATTrainer:
    def __init__(self, model, lr=0.05, device=None):
        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)

    def step(self, x, y):
        x, y = x.to(self.device), y.to(self.device)
        self.model.train()
        loss = F.cross_entropy(self.model(x), y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.detach()

    def fit(self, x, y, epochs=20, batch=32):
        history = []
        for _ in range(epochs):
            order = torch.randperm(len(x))
            losses = [self.step(x[i], y[i]) for i in order.split(batch)]
            history.append(torch.stack(losses).mean().item())
        return history


torch.manual_seed(0)
features = torch.randn(160, 12)
targets = features[:, :3].argmax(dim=1)
trainer = QATTrainer(QuantMLP())
curve = trainer.fit(features, targets, epochs=5)
print(" ".join(f"{v:.3f}" for v in curve))
