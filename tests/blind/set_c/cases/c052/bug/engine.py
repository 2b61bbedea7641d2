import torch

from meters import AverageMeter


def train_one_epoch(model, loader, optimizer, loss_fn, device, clip=5.0):
    model.train()
    meter = AverageMeter()
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        loss = loss_fn(model(x), y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        meter.update(loss.item(), x.size(0))
    return meter.avg


@torch.no_grad()
def validate(model, loader, loss_fn, device):
    model.eval()
    meter = AverageMeter()
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        meter.update(loss_fn(model(x), y).item(), x.size(0))
    return meter.avg
