import logging

import torch.nn.functional as F

logger = logging.getLogger(__name__)


class Engine:
    def __init__(self, model, optimizer, device, grad_clip=1.0, log_every=2):
        self.model = model.to(device)
        self.optimizer = optimizer
        self.device = device
        self.grad_clip = grad_clip
        self.log_every = log_every
        self.step_no = 0

    def prepare(self, batch):
        feat = batch["feat"].to(self.device, non_blocking=True)
        caption = batch["caption"].to(self.device, non_blocking=True)
        return feat, caption, batch["mask"].to(self.device)

    def compute_loss(self, batch):
        feat, caption, mask = self.prepare(batch)
        logits = self.model(feat, caption[:, :-1])
        nll = F.cross_entropy(logits.flatten(0, 1), caption[:, 1:].flatten(), reduction="none")
        weight = mask[:, 1:].flatten().float()
        return (nll * weight).sum() / weight.sum().clamp(min=1)

    def train_epoch(self, loader):
        self.model.train()
        for batch in loader:
            self.optimizer.zero_grad()
            loss = self.compute_loss(batch)
            loss.backward()
            self.optimizer.step()
            self.step_no += 1
            if self.step_no % self.log_every == 0:
                logger.info("step %d: %.3f", self.step_no, loss.item())
