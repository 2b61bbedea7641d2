from dataclasses import dataclass

import torch
import torch.nn.functional as F

from model import StatefulLSTM


@dataclass
class Args:
    channels: int = 3
    hidden: int = 16
    chunk: int = 10
    epochs: int = 2
    lr: float = 5e-3


def chunks(series, size):
    for s in range(0, series.size(1) - size, size):
        yield series[:, s:s + size], series[:, s + 1:s + size + 1]


def train_epoch(model, series, opt, args):
    model.reset()
    losses = []
    for x, y in chunks(series, args.chunk):
        opt.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        losses.append(loss.item())
    return sum(losses) / len(losses)


def main():
    args = Args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    series = torch.sin(torch.arange(61).view(1, -1, 1) / torch.tensor([3.0, 5.0, 9.0])).repeat(4, 1, 1).to(device)
    model = StatefulLSTM(args.channels, args.hidden).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        print(epoch, train_epoch(model, series, opt, args))


if __name__ == "__main__":
    main()
