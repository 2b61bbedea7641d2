import io

import torch
import torch.nn as nn
import torch.nn.functional as F


class AutoEncoder(nn.Module):
    def __init__(self, dim=20, code=4):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(dim, 16), nn.ELU(), nn.Linear(16, code))
        self.decode = nn.Sequential(nn.Linear(code, 16), nn.ELU(), nn.Linear(16, dim))

    def forward(self, x):
        return self.decode(self.encode(x))


def export(model):
    """Bytes of a host copy of the weights, for the serving machine."""
    host = model.cpu()
    buffer = io.BytesIO()
    torch.save(host.state_dict(), buffer)
    return buffer.getvalue()


def train(model, device, epochs=3, every=2):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    snapshots = []
    for epoch in range(1, epochs + 1):
        for _ in range(2):
            x = torch.randn(16, 20, device=device)
            loss = F.mse_loss(model(x), x)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if epoch % every == 0:
            snapshots.append(export(model))
            print(f"epoch {epoch}: {loss.item():.4f}, {len(snapshots[-1])} bytes")
    return snapshots


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    train(AutoEncoder().to(device), device)
