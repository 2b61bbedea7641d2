import copy
import os
import tempfile

import torch
import torch.nn as nn


class EarlyStopping:
    def __init__(self, path, patience=3):
        self.path, self.patience = path, patience
        self.best, self.wait = float("inf"), 0

    def __call__(self, value, model):
        if value < self.best:
            self.best, self.wait = value, 0
            cpu_model = copy.deepcopy(model).to("cpu")
            torch.save(cpu_model.state_dict(), self.path)
        else:
            self.wait += 1
        return self.wait >= self.patience


def run(model, data, device, optimizer=None):
    x, y = (t.to(device) for t in data)
    pred = model(x)
    loss = nn.functional.mse_loss(pred, y)
    if optimizer is not None:
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.detach()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    w = torch.randn(5, 1)
    make = lambda n: (lambda x: (x, x @ w))(torch.randn(n, 5))
    train, val = make(64), make(32)
    stopper = EarlyStopping(os.path.join(tempfile.mkdtemp(), "best.pt"))
    for epoch in range(6):
        model.train()
        run(model, train, device, optimizer)
        model.eval()
        with torch.no_grad():
            val_loss = run(model, val, device).item()
        if stopper(val_loss, model):
            break
    model.load_state_dict(torch.load(stopper.path, map_location="cpu"))
    print("best", stopper.best)


if __name__ == "__main__":
    main()
