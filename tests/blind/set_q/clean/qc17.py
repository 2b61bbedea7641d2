import os

import torch
import torch.nn as nn
from torch.optim.swa_utils import AveragedModel, SWALR, update_bn


class Checkpointer:
    def __init__(self, path, **objects):
        self.path, self.objects = path, objects

    def save(self, **extra):
        state = {k: o.state_dict() for k, o in self.objects.items()}
        tmp = self.path + ".tmp"
        torch.save({**state, "extra": extra}, tmp)
        os.replace(tmp, self.path)

    def load(self, map_location="cpu"):
        if not os.path.isfile(self.path):
            return {}
        state = torch.load(self.path, map_location=map_location)
        for k, o in self.objects.items():
            o.load_state_dict(state[k])
        return state["extra"]


class EarlyStop:
    def __init__(self, patience):
        self.patience, self.best, self.bad = patience, float("inf"), 0

    def state_dict(self):
        return vars(self).copy()

    def load_state_dict(self, s):
        vars(self).update(s)

    def __call__(self, value):
        if value < self.best:
            self.best, self.bad = value, 0
        else:
            self.bad += 1
        return self.bad > self.patience


def run(max_epoch, device, path):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 1)).to(device)
    swa = AveragedModel(model)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    sched = torch.optim.lr_scheduler.StepLR(opt, 2, 0.5)
    swa_sched = SWALR(opt, swa_lr=5e-3)
    stop = EarlyStop(2)
    ckpt = Checkpointer(path, model=model, swa=swa, opt=opt, sched=sched, stop=stop)
    start = ckpt.load().get("epoch", -1) + 1
    x = torch.randn(96, 4)
    y = x.prod(1, keepdim=True).tanh()
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=24)
    for epoch in range(start, max_epoch):
        model.train()
        for bx, by in data:
            opt.zero_grad()
            nn.functional.mse_loss(model(bx.to(device)), by.to(device)).backward()
            opt.step()
        if epoch >= 3:
            swa.update_parameters(model)
            swa_sched.step()
        else:
            sched.step()
        model.eval()
        with torch.no_grad():
            val = nn.functional.mse_loss(model(x.to(device)), y.to(device)).item()
        stop_now = stop(val)
        ckpt.save(epoch=epoch)
        if stop_now:
            break
    update_bn(data, swa, device=device)
    swa.eval()
    with torch.no_grad():
        return start, nn.functional.mse_loss(swa(x.to(device)), y.to(device)).item()


if __name__ == "__main__":
    dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    for n in (2, 6):
        print(run(n, dev, "run.pt"))
