import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

distributed = int(os.environ.get("WORLD_SIZE", "1")) > 1
local_rank = int(os.environ.get("LOCAL_RANK", "0"))
if torch.cuda.is_available():
    device = torch.device("cuda", local_rank)
    torch.cuda.set_device(device)
else:
    device = torch.device("cpu")
if distributed:
    dist.init_process_group("nccl" if device.type == "cuda" else "gloo")

dataset = TensorDataset(torch.randn(80, 12), torch.randint(0, 4, (80,)))
sampler = DistributedSampler(dataset) if distributed else None
loader = DataLoader(dataset, batch_size=16, sampler=sampler, shuffle=sampler is None)

model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 4))
model.to(device)
raw_model = model
if distributed:
    model = DistributedDataParallel(model, device_ids=[local_rank] if device.type == "cuda" else None)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)


def reduce_mean(value):
    if not distributed:
        return value
    value = value.clone()
    dist.all_reduce(value)
    return value / dist.get_world_size()


for epoch in range(3):
    if sampler is not None:
        sampler.set_epoch(epoch)
    loss_sum = torch.zeros((), device=device)
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        loss_sum += loss.detach()
    mean = reduce_mean(loss_sum / len(loader))
    if local_rank == 0:
        print(epoch, f"{mean.item():.4f}", len(raw_model.state_dict()))

if distributed:
    dist.destroy_process_group()
