import torch
from torch import nn


class PatchTransformer(nn.Module):
    def __init__(self, patch=4, dim=16, n_classes=4, drop_rate=0.25):
        super().__init__()
        self.patch, self.drop_rate = patch, drop_rate
        self.proj = nn.Conv2d(3, dim, patch, stride=patch)
        self.layer = nn.TransformerEncoderLayer(dim, 2, 32, batch_first=True)
        self.fc = nn.Linear(dim, n_classes)
        rates = torch.linspace(0, drop_rate, 3)
        self.dropouts = nn.ModuleList(nn.Dropout(float(r)) for r in rates)

    def forward(self, x):
        tokens = self.proj(x).flatten(2).transpose(1, 2)
        if self.training:
            n = tokens.size(1)
            keep = torch.randperm(n)[: int(n * (1 - self.drop_rate))]
            tokens = tokens[:, keep]
        temperature = torch.tensor(0.5)
        h = self.layer(tokens) / temperature
        for d in self.dropouts:
            h = d(h)
        return self.fc(h.mean(1))


def mixup(x, y, n_classes, alpha=0.4):
    lam = torch.distributions.Beta(alpha, alpha).sample()
    perm = torch.randperm(x.size(0))
    onehot = nn.functional.one_hot(y, n_classes).float()
    return lam * x + (1 - lam) * x[perm], lam * onehot + (1 - lam) * onehot[perm]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = PatchTransformer().to(device)
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(3):
    images = torch.rand(8, 3, 16, 16, device=device)
    labels = torch.randint(0, 4, (8,), device=device)
    images, soft = mixup(images, labels, 4)
    loss = nn.functional.cross_entropy(model(images), soft)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item())
