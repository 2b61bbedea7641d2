import torch

from nets import Encoder, nt_xent
from options import get_args
from tracking import Tracker


def views(batch, sigma=0.1):
    return tuple(batch + sigma * torch.randn_like(batch) for _ in range(2))


def train(args, tracker):
    device = args.device or ("cuda" if torch.cuda.is_available() else "cpu")
    model = Encoder(args.dim).to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
    data = torch.randn(64, 20)
    for epoch in range(args.epochs):
        tracker.reset()
        for chunk in data[torch.randperm(64)].split(16):
            a, b = views(chunk.to(device))
            loss, align = nt_xent(model(a), model(b), args.temp)
            opt.zero_grad()
            loss.backward()
            opt.step()
            tracker.log(loss=loss.item(), align=align)
        print(epoch, tracker.summary())


tracker = Tracker()
train(get_args(), tracker)
