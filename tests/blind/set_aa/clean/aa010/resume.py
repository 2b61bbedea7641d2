import tempfile

import torch
import torch.nn.functional as F

from ckpt import Checkpointer
from model import Seq2Value


def setup(folder, device):
    model = Seq2Value().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    sched = torch.optim.lr_scheduler.StepLR(opt, step_size=2, gamma=0.5)
    return model, opt, sched, Checkpointer(folder, model=model, optimizer=opt, scheduler=sched)


def run(folder, until, device):
    model, opt, sched, ckpt = setup(folder, device)
    start = ckpt.restore()
    for step in range(start, until):
        x = torch.randn(8, 7, 5).to(device)
        y = x.sum(dim=(1, 2))
        loss = F.mse_loss(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        ckpt.save(step + 1)
    print("from", start, "to", until, "loss", loss.item(), "lr", sched.get_last_lr())


device = "cuda" if torch.cuda.is_available() else "cpu"
with tempfile.TemporaryDirectory() as folder:
    run(folder, 3, device)
    run(folder, 6, device)
