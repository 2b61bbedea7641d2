import tempfile
import torch
from torch import nn
import checkpoint


def build():
    return nn.Sequential(nn.Linear(7, 14), nn.Mish(), nn.Linear(14, 2))


def run(path, epochs):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = build().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    start = checkpoint.restore(path, model, opt)
    for epoch in range(start, epochs):
        x = torch.randn(16, 7, device=device)
        y = torch.randint(0, 2, (16,), device=device)
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        checkpoint.save(path, model, opt, epoch + 1)
    return model


with tempfile.TemporaryDirectory() as d:
    run(d + "/last.pt", 2)
    run(d + "/last.pt", 4)
