import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self, dim=16, depth=3):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(dim, dim) for _ in range(depth))
        self.norm = nn.BatchNorm1d(dim)
        self.out = nn.Linear(dim, 2)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.out(self.norm(x))

    def reset_parameters(self):
        for m in self.modules():
            if m is not self and hasattr(m, "reset_parameters"):
                m.reset_parameters()


def size_on_disk(factory):
    """Bytes that the parameters will take, without making them."""
    with torch.device("meta"):
        shell = factory()
    shell = shell.to(torch.bfloat16)
    return sum(p.numel() * p.element_size() for p in shell.parameters())


def materialize(factory, device):
    with torch.device("meta"):
        net = factory()
    net = net.to_empty(device=device)
    net.reset_parameters()
    return net


def from_checkpoint(factory, state, device):
    with torch.device("meta"):
        net = factory()
    net.load_state_dict(state, assign=True)
    return net.to(device)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print("bytes:", size_on_disk(Net))
fresh = materialize(Net, device)
opt = torch.optim.SGD(fresh.parameters(), lr=0.1)
x, y = torch.randn(32, 16, device=device), torch.randint(0, 2, (32,), device=device)
for _ in range(3):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(fresh(x), y)
    loss.backward()
    opt.step()
state = {k: v.detach().clone() for k, v in fresh.state_dict().items()}
twin = from_checkpoint(Net, state, device).eval()
fresh.eval()
with torch.no_grad():
    print(loss.item(), (twin(x) - fresh(x)).abs().max().item())
