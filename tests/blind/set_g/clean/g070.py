import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


class FeedForward(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.up, self.down = nn.Linear(dim, 2 * dim), nn.Linear(2 * dim, dim)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


class DeepNet(nn.Module):
    def __init__(self, dim=12, depth=4, use_checkpoint=True):
        super().__init__()
        self.layers = nn.ModuleList(FeedForward(dim) for _ in range(depth))
        self.use_checkpoint = use_checkpoint
        self.head = nn.Linear(dim, 1)

    def forward(self, x):
        for layer in self.layers:
            if self.use_checkpoint and self.training:
                x = checkpoint(layer, x, use_reentrant=False)
            else:
                x = layer(x)
        return self.head(x)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = DeepNet().to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    warmup = torch.optim.lr_scheduler.LinearLR(opt, 0.1, total_iters=3)
    for step in range(3):
        x = torch.randn(8, 12, device=device)
        loss = F.mse_loss(model(x).squeeze(-1), x.prod(-1))
        opt.zero_grad()
        loss.backward()
        opt.step()
        warmup.step()
        print(step, loss.item(), warmup.get_last_lr()[0])


if __name__ == "__main__":
    main()
