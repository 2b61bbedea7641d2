import torch
from torch.utils.data import DataLoader

from losses import get_loss
from tabular import Claims, TabNet

SETTINGS = {"loss": "focal", "gamma": 1.5, "epochs": 2, "lr": 3e-3}


class Run:
    def __init__(self, settings):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.data = Claims()
        self.net = TabNet(self.data.cards, 4)
        self.loss_fn = get_loss(settings["loss"], counts=self.data.class_counts(), gamma=settings["gamma"])
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=settings["lr"])
        self.epochs = settings["epochs"]

    def start(self):
        self.net.to(self.device).train()
        self.loss_fn.to(self.device)
        for epoch in range(self.epochs):
            total = 0.0
            for batch in DataLoader(self.data, batch_size=20, shuffle=True):
                cat, num, y = (t.to(self.device) for t in batch)
                loss = self.loss_fn(self.net(cat, num), y)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                total += loss.item()
            print(epoch, total)


Run(SETTINGS).start()
