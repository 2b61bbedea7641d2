import torch
import torch.nn.functional as F
from torch import nn

from prompts import PromptLearner


class TextTower(nn.Module):
    def __init__(self, dim=12):
        super().__init__()
        self.mix = nn.Sequential(nn.Linear(dim, dim), nn.GELU(), nn.Linear(dim, dim))

    def forward(self, tokens):
        return F.normalize(self.mix(tokens).mean(1), dim=-1)


def run(n_cls=5, dim=12, steps=4):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    text = TextTower(dim).to(device).requires_grad_(False)
    learner = PromptLearner(torch.randn(n_cls, 3, dim), device=device)
    optimizer = torch.optim.SGD(learner.parameters(), lr=0.1)
    for step in range(steps):
        images = F.normalize(torch.randn(20, dim, device=device), dim=-1)
        labels = torch.randint(0, n_cls, (20,), device=device)
        prompts, scale = learner()
        logits = scale * images @ text(prompts).t()
        loss = F.cross_entropy(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item())
    return learner


if __name__ == "__main__":
    learner = run()
