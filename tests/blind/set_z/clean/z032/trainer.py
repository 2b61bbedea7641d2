import torch
import torch.nn.functional as F


class BaseTrainer:
    """Template: subclasses give compute_loss and build_model."""

    optimizer_cls = torch.optim.Adam

    def __init__(self, cfg):
        self.cfg = cfg
        self.device = torch.device(cfg.device)
        self.model = self.build_model()
        self.optimizer = self.optimizer_cls(self.model.parameters(), lr=cfg.lr)
        self.model.to(self.device)
        self.global_step = 0

    def build_model(self):
        raise NotImplementedError

    def compute_loss(self, batch):
        raise NotImplementedError

    def fit(self, batches):
        self.model.train()
        for batch in batches:
            batch = [b.to(self.device) for b in batch]
            self.optimizer.zero_grad()
            loss = self.compute_loss(batch)
            loss.backward()
            self.optimizer.step()
            self.global_step += 1
            self.log(loss=loss.item())

    def log(self, **values):
        if self.global_step % self.cfg.log_every == 0:
            print(self.global_step, values)


class Contrastive(BaseTrainer):
    def build_model(self):
        from torch import nn
        return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 6))

    def compute_loss(self, batch):
        a, b = (F.normalize(self.model(v), dim=1) for v in batch)
        logits = a @ b.t() / self.cfg.temperature
        labels = torch.arange(len(a), device=logits.device)
        return 0.5 * (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels))
