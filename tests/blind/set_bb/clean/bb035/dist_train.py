import os
import tempfile
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from launch import World

world = World()
torch.manual_seed(10 + world.rank)
CKPT = os.path.join(tempfile.mkdtemp(), "last.pt")


def unwrap(m):
    return m.module if hasattr(m, "module") else m


def loaders():
    ds = TensorDataset(torch.randn(96, 6), torch.randn(96, 1))
    sampler = DistributedSampler(ds, world.size, world.rank) if world.size > 1 else None
    return DataLoader(ds, batch_size=16, sampler=sampler, shuffle=sampler is None), sampler


model = world.wrap(nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1)))
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
loader, sampler = loaders()
for epoch in range(2):
    if sampler is not None:
        sampler.set_epoch(epoch)
    total = torch.zeros(2, device=world.device)
    for x, y in loader:
        x, y = x.to(world.device), y.to(world.device)
        loss = nn.functional.mse_loss(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total[0] += loss.detach() * len(x)
        total[1] += len(x)
    total = world.mean(total)
    if world.main:
        print(epoch, (total[0] / total[1]).item())
        cpu_state = {k: v.cpu() for k, v in unwrap(model).state_dict().items()}
        torch.save(cpu_state, CKPT)
    world.barrier()

state = torch.load(CKPT, map_location=world.device)
unwrap(model).load_state_dict(state)
