import torch
from torch import nn


def factory():
    return nn.Sequential(nn.Embedding(30, 8), nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))


def budget(make):
    with torch.device("meta"):
        ghost = make()
        probe = ghost(torch.zeros(1, 5, dtype=torch.long))
    return sum(p.numel() for p in ghost.parameters()), tuple(probe.shape)


def lazy_load(make, state, device):
    with torch.device("meta"):
        net = make()
    state = {k: v.to(device) for k, v in state.items()}
    net.load_state_dict(state, assign=True)
    assert not any(p.is_meta for p in net.parameters())
    return net.to(device)


def shapes_only(net):
    return {k: v.to("meta") for k, v in net.state_dict().items()}


device = "cuda" if torch.cuda.is_available() else "cpu"
source = factory()
count, out_shape = budget(factory)
net = lazy_load(factory, source.state_dict(), device)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
ids = torch.randint(0, 30, (4, 5), device=device)
loss = net(ids).pow(2).mean()
loss.backward()
opt.step()
print(count, out_shape, loss.item(), {k: tuple(v.shape) for k, v in shapes_only(net).items()})
