import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

SEED = 7


def loaders(batch_size=8):
    g = torch.Generator().manual_seed(SEED)
    x = torch.randn(40, 5, generator=g)
    ds = TensorDataset(x, (x.sum(1, keepdim=True) > 0).float())
    train, val = random_split(ds, [32, 8], generator=g)
    order = torch.Generator().manual_seed(SEED + 1)
    return DataLoader(train, batch_size, shuffle=True, generator=order), DataLoader(val, batch_size)


class NoisyLinear(nn.Linear):
    def __init__(self, *args, std=0.1, **kwargs):
        super().__init__(*args, **kwargs)
        self.std = std
        self._gens = {}

    def _gen(self, device):
        if device not in self._gens:
            self._gens[device] = torch.Generator(device=device).manual_seed(SEED)
        return self._gens[device]

    def forward(self, x):
        if self.training:
            x = x + self.std * torch.randn(x.shape, generator=self._gen(x.device), device=x.device)
        return super().forward(x)


def evaluate(model, loader, device):
    model.eval()
    hits = 0
    with torch.no_grad():
        for x, y in loader:
            hits += ((model(x.to(device)) > 0).cpu() == y.bool()).sum().item()
    return hits / len(loader.dataset)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
train_loader, val_loader = loaders()
model = nn.Sequential(NoisyLinear(5, 16), nn.ReLU(), NoisyLinear(16, 1)).to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
perm = torch.randperm(5, generator=torch.Generator().manual_seed(0))
for epoch in range(2):
    model.train()
    for x, y in train_loader:
        x, y = x.to(device)[:, perm], y.to(device)
        loss = nn.functional.binary_cross_entropy_with_logits(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item(), evaluate(model, val_loader, device))
