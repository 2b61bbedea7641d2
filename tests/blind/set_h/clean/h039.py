from dataclasses import dataclass

import torch
from torch import nn
import torch.nn.functional as F


@dataclass
class StageConfig:
    name: str
    requires_grad: bool
    lr: float


class Encoder(nn.Module):
    """`encoder.requires_grad = False` goes through the property below."""

    def __init__(self, dim=20):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(), nn.Linear(32, 16))

    @property
    def requires_grad(self):
        return any(p.requires_grad for p in self.parameters())

    @requires_grad.setter
    def requires_grad(self, flag):
        for p in self.parameters():
            p.requires_grad = flag

    def forward(self, x):
        return self.body(x)


class SaliencyProbe:
    def __init__(self, encoder, head):
        self.encoder, self.head = encoder, head

    def __call__(self, x):
        x = x.clone()
        x.requires_grad = True
        score = self.head(self.encoder(x)).amax(1).sum()
        (g,) = torch.autograd.grad(score, x)
        return g.abs()


def run_stage(cfg, encoder, head, data):
    encoder.requires_grad = cfg.requires_grad
    params = [p for m in (encoder, head) for p in m.parameters() if p.requires_grad]
    opt = torch.optim.SGD(params, lr=cfg.lr, momentum=0.9)
    for x, y in data:
        loss = F.cross_entropy(head(encoder(x)), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(cfg.name, sum(p.numel() for p in params), loss.item())


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    encoder, head = Encoder().to(device), nn.Linear(16, 3).to(device)
    data = [(x, x[:, :3].argmax(1)) for x in torch.randn(5, 16, 20, device=device)]
    stages = [StageConfig("head only", False, 0.05), StageConfig("everything", True, 0.01)]
    frozen = encoder.body[0].weight.detach().clone()
    run_stage(stages[0], encoder, head, data)
    unchanged = torch.equal(frozen, encoder.body[0].weight)
    run_stage(stages[1], encoder, head, data)
    saliency = SaliencyProbe(encoder.requires_grad_(False), head)(data[0][0])
    print(unchanged, saliency.shape)
    return unchanged


if __name__ == "__main__":
    unchanged = main()
