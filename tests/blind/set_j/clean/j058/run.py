import torch
import torch.nn as nn
import torch.nn.functional as F

from config import Config
from mean_teacher import MeanTeacher


def main(cfg=Config()):
    net = nn.Sequential(nn.Linear(cfg.dim, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, cfg.classes))
    mt = MeanTeacher(net, cfg.decay).to(cfg.device)
    opt = torch.optim.SGD(mt.student.parameters(), lr=0.05, momentum=0.9)
    mt.train()
    for step in range(cfg.steps):
        xl = torch.randn(16, cfg.dim, device=cfg.device)
        yl = torch.randint(0, cfg.classes, (16,), device=cfg.device)
        xu = torch.randn(32, cfg.dim, device=cfg.device)
        sup = F.cross_entropy(mt(xl), yl)
        with torch.no_grad():
            target = mt.teacher(xu).softmax(1)
        cons = F.mse_loss(mt(xu + 0.05 * torch.randn_like(xu)).softmax(1), target)
        loss = sup + cfg.consistency * cons
        opt.zero_grad()
        loss.backward()
        opt.step()
        mt.update(step)
    print(sup.item(), cons.item())


if __name__ == "__main__":
    main()
