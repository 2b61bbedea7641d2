import torch
from torch import nn

from networks import Discriminator, Generator, init_weights


class BaseModel:
    def __init__(self, opt):
        self.opt = opt
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.loss_names = []

    def get_current_losses(self):
        return {n: float(getattr(self, "loss_" + n).detach()) for n in self.loss_names}


class GANModel(BaseModel):
    def __init__(self, opt):
        super().__init__(opt)
        self.loss_names = ["D", "G"]
        self.netG = init_weights(Generator()).to(self.device)
        self.netD = init_weights(Discriminator()).to(self.device)
        self.criterion = nn.BCEWithLogitsLoss()
        self.optimizer_G = torch.optim.Adam(self.netG.parameters(), lr=opt.lr, betas=(0.5, 0.999))
        self.optimizer_D = torch.optim.Adam(self.netD.parameters(), lr=opt.lr, betas=(0.5, 0.999))

    def set_input(self, real):
        self.real = real.to(self.device)

    def forward(self):
        z = torch.randn(self.real.size(0), 8, device=self.device)
        self.fake = self.netG(z)

    def gan_loss(self, pred, real):
        target = torch.ones_like(pred) if real else torch.zeros_like(pred)
        return self.criterion(pred, target)

    def backward_D(self):
        pred_fake = self.netD(self.fake)
        pred_real = self.netD(self.real)
        self.loss_D = 0.5 * (self.gan_loss(pred_fake, False) + self.gan_loss(pred_real, True))
        self.loss_D.backward()

    def backward_G(self):
        self.loss_G = self.gan_loss(self.netD(self.fake), True)
        self.loss_G.backward()

    def optimize_parameters(self):
        self.forward()
        self.optimizer_D.zero_grad()
        self.backward_D()
        self.optimizer_D.step()
        for p in self.netD.parameters():
            p.requires_grad_(False)
        self.optimizer_G.zero_grad()
        self.backward_G()
        self.optimizer_G.step()
        for p in self.netD.parameters():
            p.requires_grad_(True)
