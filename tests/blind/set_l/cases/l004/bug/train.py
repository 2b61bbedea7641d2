import torch
import torch.nn as nn

from meters import AverageMeter, ConfusionMatrix


class SegTrainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, cfg["classes"], 1)
        ).to(self.device)
        self.opt = torch.optim.SGD(self.net.parameters(), lr=cfg["lr"], momentum=0.9)
        self.loss_fn = nn.CrossEntropyLoss(ignore_index=-1)
        self.loss = AverageMeter()
        self.cm = ConfusionMatrix(cfg["classes"])

    def batches(self, n):
        for _ in range(n):
            x = torch.randn(4, 3, 16, 16)
            y = torch.randint(-1, self.cfg["classes"], (4, 16, 16))
            yield x.to(self.device), y.to(self.device)

    def fit(self):
        for epoch in range(self.cfg["epochs"]):
            self.loss.reset()
            self.net.train()
            for x, y in self.batches(3):
                loss = self.loss_fn(self.net(x), y)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                self.loss.update(loss.item(), x.size(0))
            miou = self.validate()
            print(epoch, round(self.loss.avg, 3), round(miou, 3))

    @torch.no_grad()
    def validate(self):
        self.net.eval()
        self.cm.reset()
        for x, y in self.batches(2):
            self.cm.update(self.net(x).argmax(1), y)
        return self.cm.iou().mean().item()


if __name__ == "__main__":
    SegTrainer({"classes": 4, "lr": 0.05, "epochs": 2}).fit()
