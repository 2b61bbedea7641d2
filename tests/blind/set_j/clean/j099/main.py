import torch
import torch.nn as nn
import torch.nn.functional as F

from averaging import SWA, error


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = []
    for _ in range(4):
        x = torch.randn(32, 6, device=device)
        data.append((x, (x[:, 0] > 0).long() + (x[:, 1] > 0).long()))
    model = nn.Sequential(nn.Linear(6, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 3)).to(device)
    opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    swa = SWA(model, opt, start=2)
    model.train()
    for epoch in range(5):
        for x, y in data:
            loss = F.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        swa.after_epoch(epoch)
        print(epoch, loss.item(), error(model, data))
    print("averaged", error(swa.finish(data), data))


if __name__ == "__main__":
    main()
