import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def setup():
    if "RANK" not in os.environ:
        return 0, 1, 0
    backend = "nccl" if torch.cuda.is_available() else "gloo"
    dist.init_process_group(backend)
    return dist.get_rank(), dist.get_world_size(), int(os.environ["LOCAL_RANK"])


def pick_device(local_rank):
    if torch.cuda.is_available():
        torch.cuda.set_device(local_rank)
        return torch.device("cuda", local_rank)
    return torch.device("cpu")


def unwrap(model):
    return model.module if isinstance(model, DDP) else model


def reduce_mean(value, world_size):
    if world_size == 1:
        return value
    value = value.detach().clone()
    dist.all_reduce(value, op=dist.ReduceOp.SUM)
    return value / world_size


def save(model, path, rank):
    if rank == 0:
        torch.save(unwrap(model).state_dict(), path)
    if dist.is_available() and dist.is_initialized():
        dist.barrier()


def main():
    rank, world_size, local_rank = setup()
    device = pick_device(local_rank)
    torch.manual_seed(1234)

    model = nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 3))
    if world_size > 1:
        model = nn.SyncBatchNorm.convert_sync_batchnorm(model) if device.type == "cuda" else model
    model = model.to(device)
    if world_size > 1:
        ids = [local_rank] if device.type == "cuda" else None
        model = DDP(model, device_ids=ids)

    data = TensorDataset(torch.randn(96, 10), torch.randint(0, 3, (96,)))
    sampler = DistributedSampler(data, num_replicas=world_size, rank=rank, shuffle=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1 * world_size)
    criterion = nn.CrossEntropyLoss().to(device)

    for epoch in range(2):
        sampler.set_epoch(epoch)
        model.train()
        total = torch.zeros(1, device=device)
        for x, y in loader:
            x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.detach()
        mean = reduce_mean(total / len(loader), world_size)
        if rank == 0:
            print(f"epoch {epoch} loss {mean.item():.4f}")
        save(model, "/tmp/ddp_model.pt", rank)

    if world_size > 1:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
