import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.fc = nn.Linear(d, 2)

    def forward(self, x):
        offset = torch.linspace(0, 1, 2, device=x.device)
        return self.fc(x) + offset


def unwrap(model):
    return model.module if isinstance(model, (nn.DataParallel, nn.parallel.DistributedDataParallel)) else model


def prepare(model):
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    model.to(device)
    if torch.cuda.device_count() > 1:
        model = nn.DataParallel(model)
    return model, device


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=0)
    args = ap.parse_args()
    model, device = prepare(Net())
    pin = device.type == "cuda"
    data = TensorDataset(torch.randn(12, 4), torch.randint(0, 2, (12,)))
    loader = DataLoader(data, batch_size=4, shuffle=True, num_workers=args.workers, pin_memory=pin, drop_last=True)
    opt = torch.optim.SGD(unwrap(model).parameters(), lr=0.1)
    for x, y in loader:
        x, y = x.to(device, non_blocking=pin), y.to(device, non_blocking=pin)
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.mean().backward()
        opt.step()
    torch.save(unwrap(model).state_dict(), "net.pt")
    fresh = Net()
    fresh.load_state_dict(torch.load("net.pt", map_location=lambda storage, loc: storage))
    if torch.cuda.is_available():
        fresh = fresh.cuda()
        torch.cuda.synchronize()
    print(loss.item(), fresh.fc.weight.device.type)


if __name__ == "__main__":
    main()
