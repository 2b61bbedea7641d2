import torch
import torch.nn as nn
import torch.nn.functional as F


class Shared(nn.Module):
    """One encoder under a class head and a domain head."""

    def __init__(self, n_in=10, width=16, classes=3):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(n_in, width), nn.ReLU(), nn.Linear(width, width))
        self.classifier = nn.Linear(width, classes)
        self.domain = nn.Linear(width, 1)

    def forward(self, x):
        z = self.encoder(x)
        return self.classifier(z), self.domain(z).squeeze(1)


class DomainTrainer:
    def __init__(self, weight=0.1):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = Shared().to(self.device)
        self.opt = torch.optim.SGD(self.model.parameters(), lr=0.05)
        self.weight = weight

    def losses(self, source, target):
        x, y = source
        both = torch.cat([x, target])
        side = torch.cat([torch.zeros(len(x), device=x.device), torch.ones(len(target), device=x.device)])
        logits, domain = self.model(both)
        class_loss = F.cross_entropy(logits[: len(x)], y)
        domain_loss = F.binary_cross_entropy_with_logits(domain, side)
        return class_loss, self.weight * domain_loss

    def step(self, source, target):
        class_loss, domain_loss = self.losses(source, target)
        self.opt.zero_grad()
        (class_loss + domain_loss).backward()
        self.opt.step()
        return class_loss.item(), domain_loss.item()


if __name__ == "__main__":
    trainer = DomainTrainer()
    for i in range(3):
        x = torch.randn(8, 10, device=trainer.device)
        y = torch.randint(0, 3, (8,), device=trainer.device)
        shifted = torch.randn(8, 10, device=trainer.device) + 1
        print(i, trainer.step((x, y), shifted))
