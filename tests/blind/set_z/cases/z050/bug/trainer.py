import logging

import torch
from torch import nn

logger = logging.getLogger(__name__)


class Trainer:
    def __init__(self, model, args):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.args = args
        self.use_amp = not args.amp_off and self.device.type == "cuda"
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=args.lr)
        self.scaler = torch.amp.GradScaler("cuda", enabled=self.use_amp)
        self.criterion = nn.CrossEntropyLoss()
        self.step_count = 0

    def forward_loss(self, batch):
        x, y = (b.to(self.device) for b in batch)
        return self.criterion(self.model(x), y)

    def _amp_step(self, batch):
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", dtype=torch.float16):
            loss = self.forward_loss(batch)
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        nn.utils.clip_grad_norm_(self.model.parameters(), self.args.clip)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss

    def _plain_step(self, batch):
        loss = self.forward_loss(batch)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.args.clip)
        self.optimizer.step()
        return loss

    def train_step(self, batch):
        loss = self._amp_step(batch) if self.use_amp else self._plain_step(batch)
        self.step_count += 1
        if self.step_count % self.args.log_interval == 0:
            logger.info("step %d loss %.4f", self.step_count, loss.item())
        return loss.item()

    def fit(self, loader):
        self.model.train()
        for epoch in range(self.args.epochs):
            values = [self.train_step(batch) for batch in loader]
            logger.info("epoch %d mean %.4f", epoch, sum(values) / len(values))
