import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Blobs(Dataset):
    def __init__(self, n=90, train=True):
        g = torch.Generator().manual_seed(0 if train else 1)
        self.targets = torch.randint(0, 3, (n,), generator=g)
        self.data = torch.randn(n, 4, generator=g)
        self.data[:, 0] += self.targets * 2
        self.normalize()

    def normalize(self):
        self.data -= self.data.mean(0)
        self.data /= self.data.std(0)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        return self.data[i], self.targets[i]


class Prototypes(nn.Module):
    def __init__(self, n_classes, dim, momentum=0.9):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, dim))
        self.register_buffer("centers", torch.randn(n_classes, dim))
        self.momentum = momentum

    def forward(self, x):
        return -torch.cdist(self.net(x), self.centers)

    @torch.no_grad()
    def update(self, feats, labels):
        for c in labels.unique():
            mean = feats[labels == c].mean(0)
            self.centers[c] = self.momentum * self.centers[c] + (1 - self.momentum) * mean


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
train_set = Blobs()
model = Prototypes(3, 8).to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(2):
    for x, y in DataLoader(train_set, batch_size=30, shuffle=True):
        x, y = x.to(device), y.to(device)
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        with torch.no_grad():
            model.update(model.net(x), y)
    print(epoch, loss.item(), train_set.data.shape)
