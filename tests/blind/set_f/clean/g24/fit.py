import torch
from torch import nn

from tracking import EarlyStopping, Smoothed


def run_epoch(net, opt, device, batches):
    loss_meter, grad_meter = Smoothed(), Smoothed(window=3)
    for _ in range(batches):
        x = torch.randn(6, 4, device=device)
        loss = (net(x).squeeze(-1) - x.sum(-1)).abs().mean()
        opt.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(net.parameters(), 10.0)
        opt.step()
        loss_meter.update(loss, n=len(x))
        grad_meter.update(norm)
    return loss_meter, grad_meter


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)).to(device)
    opt = torch.optim.NAdam(net.parameters(), lr=1e-2)
    stop = EarlyStopping()
    for epoch in range(4):
        losses, grads = run_epoch(net, opt, device, 3)
        print(epoch, losses.mean, losses.median, grads.mean)
        if stop(losses.mean, net):
            break
    stop.restore(net)
