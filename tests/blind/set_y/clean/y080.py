import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class MemoryBank:
    """Queue of features for contrastive learning, made where the first batch lives."""

    def __init__(self, size, dim):
        self.size, self.dim, self.ptr = size, dim, 0
        self.feats = None

    def get(self, like):
        if self.feats is None or self.feats.device != like.device:
            fresh = nn.functional.normalize(torch.randn(self.size, self.dim), dim=1)
            self.feats = fresh.to(like.device)
        return self.feats

    @torch.no_grad()
    def push(self, keys):
        bank = self.get(keys)
        idx = torch.arange(self.ptr, self.ptr + len(keys)) % self.size
        bank[idx.to(bank.device)] = keys
        self.ptr = int(idx[-1]) + 1


def same_device(module, tensor):
    return all(p.device == tensor.device for p in module.parameters())


if __name__ == "__main__":
    name = "cuda" if torch.cuda.is_available() else "cpu"
    device = torch.device(name)
    fast = name == "cuda" and device.type == "cuda"
    torch.backends.cudnn.benchmark = fast
    loader = DataLoader(TensorDataset(torch.randn(48, 10)), batch_size=16, shuffle=True, drop_last=True)
    enc = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 8)).to(device)
    opt = torch.optim.SGD(enc.parameters(), lr=0.03)
    bank = MemoryBank(32, 8)
    for epoch in range(2):
        for (x,) in loader:
            x = x.to(device)
            assert same_device(enc, x)
            q = nn.functional.normalize(enc(x + 0.1 * torch.randn_like(x)), dim=1)
            with torch.no_grad():
                k = nn.functional.normalize(enc(x + 0.1 * torch.randn_like(x)), dim=1)
            pos = (q * k).sum(1, keepdim=True)
            neg = q @ bank.get(q).clone().t()
            logits = torch.cat([pos, neg], dim=1) / 0.2
            loss = nn.functional.cross_entropy(logits, torch.zeros(len(x), dtype=torch.long, device=x.device))
            opt.zero_grad()
            loss.backward()
            opt.step()
            bank.push(k)
        print(epoch, loss.item(), "tuned" if fast else "plain")
