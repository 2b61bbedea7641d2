import torch
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
USE_AMP = DEVICE.type == "cuda"


class Waves(Dataset):
    def __init__(self, n=128):
        g = torch.Generator().manual_seed(3)
        self.phase = torch.rand(n, generator=g) * 6.28
        self.t = torch.linspace(0, 6.28, 32)

    def __len__(self):
        return len(self.phase)

    def __getitem__(self, i):
        return torch.sin(self.t + self.phase[i]).unsqueeze(0), (self.phase[i] > 3.14).long()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv1d(1, 8, 5, padding=2), nn.GELU(), nn.AdaptiveAvgPool1d(4), nn.Flatten())
        self.head = nn.Linear(32, 2)

    def forward(self, x):
        return self.head(self.body(x))


def train():
    loader = DataLoader(Waves(), batch_size=16, shuffle=True, pin_memory=USE_AMP, drop_last=True)
    net = Net().to(DEVICE)
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    scaler = torch.amp.GradScaler(DEVICE.type, enabled=USE_AMP)
    scheduler = optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=2 * len(loader))
    for epoch in range(2):
        net.train()
        total = 0.0
        for x, y in loader:
            x = x.to(DEVICE, non_blocking=True)
            y = y.to(DEVICE, non_blocking=True)
            for group in optimizer.param_groups:
                for p in group["params"]:
                    p.grad = None
            with torch.autocast(DEVICE.type, dtype=torch.float16 if USE_AMP else torch.bfloat16, enabled=USE_AMP):
                loss = criterion(net(x), y)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            before = scaler.get_scale()
            scaler.step(optimizer)
            scaler.update()
            if scaler.get_scale() >= before:
                scheduler.step()
            total += loss.detach()
        print(epoch, float(total) / len(loader))


if __name__ == "__main__":
    train()
