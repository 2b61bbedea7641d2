import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

import devices


class TwoTower(nn.Module):
    def __init__(self, users=10, items=20, dim=6):
        super().__init__()
        self.user, self.item = nn.Embedding(users, dim), nn.Embedding(items, dim)

    def forward(self, batch):
        u = self.user(batch["user"])
        pos, neg = (self.item(i) for i in batch["items"])
        return (u * pos).sum(-1), (u * neg).sum(-1)


def make_batch(n=16):
    return {"user": torch.randint(0, 10, (n,)), "items": tuple(torch.randint(0, 20, (2, n))), "source": "train"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="auto")
    args = parser.parse_args()
    model = TwoTower().to(devices.resolve(args.device))
    device = devices.device_of(model)
    opt = torch.optim.Adagrad(model.parameters(), lr=0.1)
    for step in range(3):
        batch = devices.to_device(make_batch(), device)
        assert devices.same_kind(batch["user"].device, device)
        pos, neg = model(batch)
        loss = -F.logsigmoid(pos - neg).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(batch["source"], step, loss.item())


if __name__ == "__main__":
    main()
