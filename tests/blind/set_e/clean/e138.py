import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.f = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))

    def forward(self, x):
        return x + self.f(x)


class Deep(nn.Module):
    def __init__(self, d=6, depth=3, save_memory=True):
        super().__init__()
        self.blocks = nn.ModuleList([Block(d) for _ in range(depth)])
        self.save_memory = save_memory

    def forward(self, x):
        for block in self.blocks:
            if self.save_memory and self.training:
                x = checkpoint(block, x, use_reentrant=False)
            else:
                x = block(x)
        return x


def wrap(model):
    if torch.cuda.device_count() > 1:
        return nn.DataParallel(model)
    return model


def unwrap(model):
    return model.module if isinstance(model, nn.DataParallel) else model


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = wrap(Deep().to(device))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler(device.type, enabled=device.type == "cuda")
    for _ in range(2):
        x = torch.randn(4, 6, device=device)
        with torch.autocast(device.type, enabled=device.type == "cuda"):
            loss = (model(x) - x.roll(1, -1)).square().mean()
        optimizer.zero_grad(set_to_none=True)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    print(loss.item(), len(unwrap(model).blocks))


if __name__ == "__main__":
    main()
