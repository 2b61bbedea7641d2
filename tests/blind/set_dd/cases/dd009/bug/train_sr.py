import torch
import torch.nn.functional as F

import rrdb
from ema import ShadowWeights


class SRTrainer:
    def __init__(self, opt):
        self.opt = opt
        self.net = rrdb.build(opt["scale"])
        self.ema = ShadowWeights(self.net, opt["ema_decay"])
        self.setup_device()
        self.optim = torch.optim.Adam(self.net.parameters(), lr=opt["lr"], betas=(0.9, 0.99))

    def setup_device(self):
        self.device = torch.device("cuda" if self.opt["gpu"] and torch.cuda.is_available() else "cpu")
        self.net.to(self.device)

    def optimize(self, hq):
        hq = hq.to(self.device)
        lq = F.avg_pool2d(hq, self.opt["scale"])
        self.optim.zero_grad()
        loss = F.l1_loss(self.net(lq), hq)
        loss.backward()
        self.optim.step()
        self.ema.update(self.net)
        return loss.item()

    @torch.no_grad()
    def validate(self, hq):
        self.net.eval()
        self.ema.swap_in(self.net)
        lq = F.avg_pool2d(hq.to(self.device), self.opt["scale"])
        mse = F.mse_loss(self.net(lq).clamp(0, 1).cpu(), hq)
        self.ema.swap_out(self.net)
        self.net.train()
        return -10 * torch.log10(mse).item()


if __name__ == "__main__":
    t = SRTrainer({"scale": 2, "gpu": True, "lr": 2e-4, "ema_decay": 0.99})
    for it in range(3):
        t.optimize(torch.rand(2, 3, 16, 16))
    print("psnr", t.validate(torch.rand(1, 3, 16, 16)))
