"""Hierarchical classifier; modules ask a mixin where they are."""
import torch
from torch import nn
import torch.nn.functional as F


class Located:
    """Adds `.device` and factories that follow the parameters."""

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    def zeros(self, *shape, **kw):
        return torch.zeros(*shape, **{"device": self.device, **kw})

    def arange(self, n):
        return torch.arange(n, device=self.device)


class Hierarchy(Located, nn.Module):
    def __init__(self, tree, features=10):
        super().__init__()
        self.tree = tree
        leaves = sum(len(v) for v in tree)
        self.coarse = nn.Linear(features, len(tree))
        self.fine = nn.Linear(features, leaves)

    def membership(self):
        m = self.zeros(len(self.tree), self.fine.out_features)
        for group, leaves in enumerate(self.tree):
            m[group, leaves] = 1.0
        return m

    def forward(self, x):
        group = self.coarse(x).log_softmax(-1)
        member = self.membership()
        logits = self.fine(x)
        within = torch.stack([
            logits.masked_fill(member[g] == 0, -1e9).log_softmax(-1) for g in range(len(self.tree))
        ], dim=1)
        joint = (within + group.unsqueeze(-1)).masked_fill(member == 0, -1e9)
        return joint.logsumexp(dim=1)

    def expected_rank(self, logp):
        return (logp.exp() * self.arange(logp.size(-1))).sum(-1)


class Trainer(Located):
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.Adam(self.parameters(), lr=1e-2)

    def parameters(self):
        return self.model.parameters()

    def step(self, size=12):
        x = torch.randn(size, 10, device=self.device)
        y = self.zeros(size, dtype=torch.long) + x[:, 0].gt(0)
        logp = self.model(x)
        loss = F.nll_loss(logp, y) + 1e-3 * self.model.expected_rank(logp).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


if __name__ == "__main__":
    net = Hierarchy([[0, 1], [2, 3, 4]]).to("cuda" if torch.cuda.is_available() else "cpu")
    trainer = Trainer(net)
    for _ in range(3):
        trainer.step()
