import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Patches(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, i):
        return {"image": torch.randn(1, 8, 8), "meta": torch.randn(3), "age": torch.tensor(float(i))}


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 6, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.fc = nn.Linear(9, 1)

    def forward(self, image, meta):
        return self.fc(torch.cat([self.conv(image), meta], 1)).squeeze(1)


class Trainer:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = Regressor()
        self.model.to(self.device)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=1e-3)

    def unpack(self, batch):
        image = batch["image"].to(self.device)
        meta = batch["meta"].to(self.device)
        age = batch["age"].to(self.device)
        return image, meta, age

    def epoch(self, loader):
        self.model.train()
        for batch in loader:
            image, meta, age = self.unpack(batch)
            loss = (self.model(image, meta) - age).abs().mean()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()


Trainer().epoch(DataLoader(Patches(), batch_size=4))
