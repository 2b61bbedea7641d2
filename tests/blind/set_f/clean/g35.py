import torch
from torch import nn
from torch.optim.swa_utils import SWALR, AveragedModel, update_bn
from torch.utils.data import DataLoader, TensorDataset


def make_model():
    return nn.Sequential(nn.Linear(5, 12), nn.BatchNorm1d(12), nn.ReLU(), nn.Linear(12, 3))


class Recipe:
    def __init__(self, epochs=4, start=2, lr=0.1):
        self.epochs, self.start = epochs, start
        self.model = make_model()
        self.swa = AveragedModel(self.model)
        self.opt = torch.optim.SGD(self.model.parameters(), lr=lr)
        self.cosine = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, T_max=epochs)
        self.flat = SWALR(self.opt, swa_lr=0.02)
        self.ce = nn.CrossEntropyLoss()

    def train(self, loader):
        for epoch in range(self.epochs):
            self.model.train()
            for x, y in loader:
                self.opt.zero_grad()
                self.ce(self.model(x), y).backward()
                self.opt.step()
            if epoch >= self.start:
                self.swa.update_parameters(self.model)
                self.flat.step()
            else:
                self.cosine.step()
        update_bn(loader, self.swa)

    @torch.inference_mode()
    def evaluate(self, loader):
        self.swa.eval()
        loss = sum(self.ce(self.swa(x), y) for x, y in loader) / len(loader)
        return float(loss)


if __name__ == "__main__":
    data = TensorDataset(torch.randn(24, 5), torch.randint(0, 3, (24,)))
    recipe = Recipe()
    recipe.train(DataLoader(data, batch_size=8, shuffle=True))
    print(recipe.evaluate(DataLoader(data, batch_size=8)))
