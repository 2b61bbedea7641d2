import os
from functools import wraps

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def world():
    return dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1


def rank():
    return dist.get_rank() if world() > 1 else 0


def main_process(fn):
    @wraps(fn)
    def wrapper(*args, **kwargs):
        if rank() == 0:
            return fn(*args, **kwargs)
        return None
    return wrapper


@main_process
def log(*args):
    print(*args)


def setup():
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        backend = "nccl" if torch.cuda.is_available() else "gloo"
        dist.init_process_group(backend)
    if torch.cuda.is_available():
        local = int(os.environ.get("LOCAL_RANK", "0"))
        torch.cuda.set_device(local)
        return torch.device("cuda", local)
    return torch.device("cpu")


def average(value, device):
    t = torch.tensor(value, dtype=torch.float64, device=device)
    if world() > 1:
        dist.all_reduce(t)
        t /= world()
    return t.item()


def wrap(model, device):
    model = model.to(device)
    if world() > 1:
        ids = [device.index] if device.type == "cuda" else None
        model = DDP(model, device_ids=ids)
    return model


def train(epochs=2):
    device = setup()
    torch.manual_seed(17)
    data = TensorDataset(torch.randn(64, 10), torch.randn(64, 2))
    sampler = DistributedSampler(data) if world() > 1 else None
    loader = DataLoader(data, 16, shuffle=sampler is None, sampler=sampler, drop_last=True)
    model = wrap(nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2)), device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05 * world())
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    for epoch in range(epochs):
        if sampler is not None:
            sampler.set_epoch(epoch)
        total = 0.0
        for x, y in loader:
            x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        scheduler.step()
        log(epoch, average(total / len(loader), device))
    if world() > 1:
        dist.destroy_process_group()


if __name__ == "__main__":
    train()
