import torch
from torch import nn


class MemoryBank(nn.Module):
    def __init__(self, size, dim):
        super().__init__()
        self.register_buffer("bank", nn.functional.normalize(torch.randn(size, dim), dim=1))
        self.momentum = 0.9

    @torch.no_grad()
    def write(self, index, feats):
        mixed = self.momentum * self.bank[index] + (1 - self.momentum) * feats
        self.bank[index] = nn.functional.normalize(mixed, dim=1)

    def forward(self, feats, index, temperature=0.07):
        logits = feats @ self.bank.t() / temperature
        return nn.functional.cross_entropy(logits, index)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Linear(8, 4).to(device)
    bank = MemoryBank(20, 4).to(device)
    data = torch.randn(20, 8)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for idx in torch.randperm(20).split(5):
        feats = nn.functional.normalize(net(data[idx].to(device)), dim=1)
        loss = bank(feats, idx.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        bank.write(idx, feats)
        keep = torch.tensor([True, False, True, False, True])
        print(feats[keep].shape, feats[torch.arange(2)].norm().item())


if __name__ == "__main__":
    main()
