import pytorch_lightning as pl
import torch
from torch import nn


class Gan(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.make, self.judge = nn.Linear(4, 8), nn.Linear(8, 1)
        self.register_buffer("fixed", torch.randn(2, 4))

    def training_step(self, batch, batch_idx):
        make_optimizer, judge_optimizer = self.optimizers()
        z = torch.randn(batch.shape[0], 4).type_as(batch)
        fake = self.make(z)
        judge_loss = self.judge(fake.detach()).mean() - self.judge(batch).mean()
        judge_optimizer.zero_grad()
        self.manual_backward(judge_loss)
        judge_optimizer.step()
        make_loss = -self.judge(fake).mean()
        make_optimizer.zero_grad()
        self.manual_backward(make_loss)
        make_optimizer.step()
        self.log_dict({"make": make_loss, "judge": judge_loss})

    def configure_optimizers(self):
        return torch.optim.Adam(self.make.parameters()), torch.optim.Adam(self.judge.parameters())


pl.Trainer(max_epochs=1).fit(Gan())
