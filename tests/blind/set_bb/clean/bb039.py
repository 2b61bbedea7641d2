import copy
import math
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class LRFinder:
    """Range test: leaves model and optimizer as they were."""

    def __init__(self, model, optimizer, criterion, device):
        self.model, self.optimizer, self.criterion, self.device = model, optimizer, criterion, device
        self.saved = None
        self.history = {"lr": [], "loss": []}

    def __enter__(self):
        self.saved = copy.deepcopy(self.model.state_dict()), copy.deepcopy(self.optimizer.state_dict())
        self.was_training = self.model.training
        return self

    def __exit__(self, *exc):
        self.model.load_state_dict(self.saved[0])
        self.optimizer.load_state_dict(self.saved[1])
        self.model.train(self.was_training)

    def _set(self, lr):
        for g in self.optimizer.param_groups:
            g["lr"] = lr

    def range_test(self, loader, lo=1e-5, hi=1.0, steps=12, smooth=0.7):
        self.model.train()
        it, avg, best = iter(loader), None, math.inf
        for k in range(steps):
            lr = lo * (hi / lo) ** (k / (steps - 1))
            self._set(lr)
            try:
                batch = next(it)
            except StopIteration:
                it = iter(loader)
                batch = next(it)
            loss = self._train_batch(*batch)
            avg = loss if avg is None else smooth * avg + (1 - smooth) * loss
            self.history["lr"].append(lr)
            self.history["loss"].append(avg)
            best = min(best, avg)
            if avg > 4 * best:
                break
        return self.suggest()

    def _train_batch(self, x, y):
        x, y = x.to(self.device), y.to(self.device)
        self.optimizer.zero_grad()
        loss = self.criterion(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def suggest(self):
        loss = torch.tensor(self.history["loss"])
        slope = loss[1:] - loss[:-1]
        return self.history["lr"][int(slope.argmin())]


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 3)).to(device)
    opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    crit = nn.CrossEntropyLoss()
    loader = DataLoader(TensorDataset(torch.randn(96, 8), torch.randint(0, 3, (96,))), 16, shuffle=True)
    before = model[0].weight.detach().clone()
    with LRFinder(model, opt, crit, device) as finder:
        lr = finder.range_test(loader)
    print("lr", lr, "restored", torch.equal(before, model[0].weight))
    for g in opt.param_groups:
        g["lr"] = lr
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=lr, total_steps=len(loader) * 2)
    for _ in range(2):
        for x, y in loader:
            opt.zero_grad()
            crit(model(x.to(device)), y.to(device)).backward()
            opt.step()
            sched.step()


if __name__ == "__main__":
    main()
