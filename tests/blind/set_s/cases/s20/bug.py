import torch
import torch.nn as nn
import torch.nn.functional as F


class TowerPair(nn.Module):
    """Two towers with a learnt similarity scale."""

    def __init__(self, text_dim=10, image_dim=14, dim=8):
        super().__init__()
        self.text = nn.Sequential(nn.Linear(text_dim, 32), nn.GELU(), nn.Linear(32, dim))
        self.image = nn.Sequential(nn.Linear(image_dim, 32), nn.GELU(), nn.Linear(32, dim))
        self.log_scale = nn.Parameter(torch.tensor(2))
        self.bias = nn.Parameter(torch.zeros(()))

    def forward(self, text, image):
        t = F.normalize(self.text(text), dim=-1)
        v = F.normalize(self.image(image), dim=-1)
        return self.log_scale.exp() * t @ v.t() + self.bias


def contrastive(logits):
    target = torch.arange(len(logits), device=logits.device)
    return 0.5 * (F.cross_entropy(logits, target) + F.cross_entropy(logits.t(), target))


def pairs(n, device):
    text = torch.randn(n, 10, device=device)
    image = torch.cat([text, text[:, :4] * 0.5], dim=-1)
    return text, image + 0.1 * torch.randn_like(image)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = TowerPair().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for step in range(12):
        loss = contrastive(model(*pairs(24, device)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            model.log_scale.clamp_(max=4.6)
    with torch.no_grad():
        top = model(*pairs(16, device)).argmax(1).cpu()
    print(loss.item(), (top == torch.arange(16)).float().mean().item())


if __name__ == "__main__":
    main()
