import torch
import torch.nn as nn
import torch.nn.functional as F


class Job:
    """Everything is described first; `launch` decides where it runs."""

    def __init__(self, model, lr):
        self.model = model
        decay, plain = [], []
        for p in model.parameters():
            (decay if p.ndim > 1 else plain).append(p)
        self.optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": 0.05}, {"params": plain, "weight_decay": 0.0}], lr=lr)
        self.scheduler = torch.optim.lr_scheduler.LambdaLR(self.optimizer, lambda s: min(1.0, (s + 1) / 3))
        self.swa = None

    def launch(self, device):
        self.device = torch.device(device)
        self.model.to(self.device)
        self.swa = torch.optim.swa_utils.AveragedModel(self.model)
        return self

    def train(self, loader, swa_from):
        self.model.train()
        for step, (x, y) in enumerate(loader):
            x, y = x.to(self.device), y.to(self.device)
            loss = F.mse_loss(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.scheduler.step()
            if step >= swa_from:
                self.swa.update_parameters(self.model)
        return loss.item()

    def finish(self, loader):
        torch.optim.swa_utils.update_bn(((x,) for x, _ in loader), self.swa, device=self.device)
        self.swa.eval()
        with torch.no_grad():
            losses = [F.mse_loss(self.swa(x.to(self.device)), y.to(self.device)) for x, y in loader]
        return torch.stack(losses).mean().item()


class Sensor(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(2, 8, 3), nn.BatchNorm1d(8), nn.ReLU(), nn.Conv1d(8, 8, 3), nn.BatchNorm1d(8), nn.ReLU())
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        return self.out(self.conv(x).mean(-1))


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(96, 2, 20)
    y = x[:, :1].mean(-1) * 3
    loader = list(zip(x.split(16), y.split(16)))
    job = Job(Sensor(), lr=1e-2)
    job.launch("cuda" if torch.cuda.is_available() else "cpu")
    print("last", job.train(loader, swa_from=3))
    print("average", job.finish(loader))
