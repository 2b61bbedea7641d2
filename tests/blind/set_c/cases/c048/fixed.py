import torch
from torch import nn


class TwoTower(nn.Module):
    def __init__(self, d=10):
        super().__init__()
        self.left = nn.Linear(d, 8)
        self.right = nn.Linear(d, 8)
        self.temperature = nn.Parameter(torch.tensor(0.07), requires_grad=False)

    def forward(self, a, b):
        return nn.functional.normalize(self.left(a), dim=-1) @ nn.functional.normalize(self.right(b), dim=-1).t()


def configure(model, lr, weight_decay):
    trainable = [p for p in model.parameters() if p.requires_grad]
    count = sum(p.numel() for p in trainable)
    print(f"{count / 1e3:.1f}k trainable parameters")
    optimizer = torch.optim.AdamW(trainable, lr=lr, weight_decay=weight_decay)
    return optimizer, torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10)


def main(steps=3):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = TwoTower().to(device)
    optimizer, scheduler = configure(model, 1e-3, 0.01)
    for _ in range(steps):
        a = torch.randn(12, 10, device=device)
        sim = model(a, a + 0.05 * torch.randn_like(a)) / model.temperature
        target = torch.arange(12, device=device)
        loss = (nn.functional.cross_entropy(sim, target) + nn.functional.cross_entropy(sim.t(), target)) / 2
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
    print(loss.item())


if __name__ == "__main__":
    main()
