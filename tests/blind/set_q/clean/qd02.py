import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 32), nn.ReLU())
        self.head = nn.Linear(32, 3)
        self.register_buffer("scale", torch.ones(8))

    def forward(self, x, hidden=None):
        if hidden is None:
            hidden = torch.zeros(x.shape[0], 32, device=x.device)
        h = self.body(x * self.scale) + hidden
        return self.head(h), h


class Criterion(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x, y):
        logits, _ = self.net(x)
        return nn.functional.cross_entropy(logits, y).unsqueeze(0), logits


def unwrap(m):
    return m.module if isinstance(m, (nn.DataParallel, nn.parallel.DistributedDataParallel)) else m


def wrap(m):
    ids = list(range(torch.cuda.device_count()))
    if len(ids) > 1:
        return nn.DataParallel(m.to(f"cuda:{ids[0]}"), device_ids=ids)
    return nn.DataParallel(m.cuda(), device_ids=[0]) if ids else m


def main():
    model = wrap(Criterion(Net()))
    home = next(model.parameters()).device
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(12):
        x = torch.randn(24, 8)
        y = x[:, :3].argmax(1)
        loss, logits = model(x.to(home), y.to(home))
        loss = loss.mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    torch.save(unwrap(model).net.state_dict(), "net.pt")
    fresh = Net()
    fresh.load_state_dict(torch.load("net.pt", map_location="cpu"))
    fresh.eval()
    with torch.no_grad():
        print((fresh(x)[0].argmax(1) == y).float().mean().item(), loss.item())


if __name__ == "__main__":
    main()
