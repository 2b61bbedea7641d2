import copy
import io
import torch
from torch import nn


class EarlyStopping:
    def __init__(self, patience=3):
        self.patience, self.best, self.bad, self.state = patience, float("inf"), 0, None

    def update(self, value, model):
        if value < self.best:
            self.best, self.bad = value, 0
            self.state = {k: v.detach().cpu().clone() for k, v in model.state_dict().items()}
        else:
            self.bad += 1
        return self.bad >= self.patience

    def restore(self, model):
        model.load_state_dict(self.state)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1)).to(device)
x, y = torch.randn(60, 5, device=device), torch.randn(60, 1, device=device)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
stop = EarlyStopping()
for epoch in range(6):
    net.train()
    opt.zero_grad()
    loss = (net(x[:40]) - y[:40]).pow(2).mean()
    loss.backward()
    opt.step()
    net.eval()
    with torch.no_grad():
        val = (net(x[40:]) - y[40:]).pow(2).mean().item()
    if stop.update(val, net):
        break
stop.restore(net)
export = copy.deepcopy(net).cpu().eval()
buf = io.BytesIO()
torch.save(export.state_dict(), buf)
with torch.no_grad():
    print(export(torch.randn(1, 5)), net(torch.randn(1, 5, device=device)))
