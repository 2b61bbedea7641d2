import torch
from torch import nn


def main(steps=2):
    use_amp = torch.cuda.is_available()
    device = torch.device("cuda" if use_amp else "cpu")
    net = nn.Linear(4, 3).to(device)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    scaler = torch.cuda.amp.GradScaler(enabled=use_amp)
    for _ in range(steps):
        x = torch.randn(8, 4, device=device)
        y = torch.randint(0, 3, (8,), device=device)
        with torch.cuda.amp.autocast(enabled=use_amp):
            loss = nn.functional.cross_entropy(net(x), y)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    return loss.item()


if __name__ == "__main__":
    print(main())
