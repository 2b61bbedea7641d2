import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

CFG = {"lr": 3e-4, "epochs": 2, "batch": 8, "clip": 1.0}


class UNetBlock(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(cin, cout, 3, padding=1), nn.GroupNorm(2, cout), nn.SiLU())

    def forward(self, x):
        return self.conv(x)


class TinyUNet(nn.Module):
    def __init__(self, ch=8):
        super().__init__()
        self.down, self.mid = UNetBlock(1, ch), UNetBlock(ch, 2 * ch)
        self.up = nn.ConvTranspose2d(2 * ch, ch, 2, stride=2)
        self.out = nn.Conv2d(2 * ch, 1, 1)

    def forward(self, x):
        d = self.down(x)
        u = self.up(self.mid(nn.functional.max_pool2d(d, 2)))
        return self.out(torch.cat([u, d], dim=1))


class AmpTrainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = TinyUNet().to(self.device)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=cfg["lr"])
        self.scaler = torch.amp.GradScaler(self.device.type)
        self.loss_fn = nn.BCEWithLogitsLoss()

    def optimize(self, loss):
        self.opt.zero_grad(set_to_none=True)
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.opt)
        nn.utils.clip_grad_norm_(self.model.parameters(), self.cfg["clip"])
        self.scaler.step(self.opt)
        self.scaler.update()

    def fit(self, loader):
        for epoch in range(self.cfg["epochs"]):
            for x, y in loader:
                x, y = x.to(self.device), y.to(self.device)
                with torch.autocast(self.device.type, dtype=torch.bfloat16):
                    loss = self.loss_fn(self.model(x), y)
                self.optimize(loss)
            print(epoch, loss.item(), self.scaler.get_scale())


images = torch.rand(24, 1, 16, 16)
AmpTrainer(CFG).fit(DataLoader(TensorDataset(images, (images > 0.5).float()), CFG["batch"], shuffle=True))
