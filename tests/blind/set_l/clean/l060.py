import copy
import io

import torch
import torch.nn as nn
import torch.nn.functional as F


class Exporter:
    """Writes a CPU copy of the running model without disturbing it."""

    def __init__(self):
        self.blobs = []

    def export(self, model):
        cpu_model = copy.deepcopy(model).to("cpu").eval()
        with torch.no_grad():
            probe = cpu_model(torch.zeros(1, 8))
        buf = io.BytesIO()
        torch.save(cpu_model.state_dict(), buf)
        self.blobs.append(buf.getvalue())
        return tuple(probe.shape)

    def restore(self, model, index=-1):
        state = torch.load(io.BytesIO(self.blobs[index]), map_location="cpu")
        model.load_state_dict(state)
        return model


def fit(model, exporter, device, epochs=3):
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    best = None
    for epoch in range(epochs):
        model.train()
        for _ in range(3):
            x = torch.randn(16, 8, device=device)
            loss = F.mse_loss(model(x).squeeze(1), x.norm(dim=1))
            opt.zero_grad()
            loss.backward()
            opt.step()
        if best is None or loss.item() < best:
            best = loss.item()
            print(epoch, best, exporter.export(model))
    return exporter.restore(model)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 1)).to(device)
net = fit(net, Exporter(), device)
with torch.no_grad():
    print(net.eval()(torch.ones(1, 8, device=device)).item())
