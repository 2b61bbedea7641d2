import torch
import torch.nn as nn
import torch.nn.functional as F


class Temperature(nn.Module):
    """Calibrates logits after training with LBFGS."""

    def __init__(self, vector=False, classes=3):
        super().__init__()
        self.log_t = nn.Parameter(torch.zeros(classes if vector else 1))
        self.bias = nn.Parameter(torch.zeros(classes)) if vector else None

    def forward(self, logits):
        out = logits / self.log_t.exp()
        return out if self.bias is None else out + self.bias

    def fit(self, logits, labels, max_iter=20):
        logits = logits.detach()
        opt = torch.optim.LBFGS(self.parameters(), lr=0.1, max_iter=max_iter, line_search_fn="strong_wolfe")

        def closure():
            opt.zero_grad()
            loss = F.cross_entropy(self(logits), labels)
            loss.backward()
            return loss

        opt.step(closure)
        return self


def ece(probs, labels, bins=5):
    conf, pred = probs.max(1)
    total = 0.0
    for lo in torch.linspace(0, 1, bins + 1)[:-1].tolist():
        inside = (conf > lo) & (conf <= lo + 1 / bins)
        if inside.any():
            gap = (pred[inside] == labels[inside]).float().mean() - conf[inside].mean()
            total += gap.abs().item() * inside.float().mean().item()
    return total


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(5, 3).to(device)
x = torch.randn(200, 5, device=device)
y = x[:, :3].argmax(1)
opt = torch.optim.SGD(net.parameters(), lr=1.0)
for _ in range(20):
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
with torch.no_grad():
    logits = net(x) * 3
for vector in (False, True):
    cal = Temperature(vector).to(device).fit(logits, y)
    with torch.no_grad():
        print(vector, ece(logits.softmax(1), y), ece(cal(logits).softmax(1), y))
