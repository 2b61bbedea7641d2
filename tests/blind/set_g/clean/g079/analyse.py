import torch
import torch.nn as nn
import torch.nn.functional as F

from hooks import ActivationRecorder


def dead_units(model, names, loader, optimizer, device):
    report = {}
    with ActivationRecorder(model, names) as rec:
        for x, y in loader:
            loss = F.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        for name, outs in rec.store.items():
            acts = torch.cat(outs).numpy()
            report[name] = float((acts.max(axis=0) <= 0).mean())
        rec.clear()
    return report


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 2)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = [(torch.randn(16, 6), torch.randint(0, 2, (16,))) for _ in range(3)]
    print(dead_units(model, ["1", "3"], loader, optimizer, device))


if __name__ == "__main__":
    main()
