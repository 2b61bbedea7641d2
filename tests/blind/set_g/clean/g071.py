import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(6, 16), nn.LayerNorm(16), nn.ReLU())
        self.neck = nn.Linear(16, 16)
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        return self.head(F.relu(self.neck(self.backbone(x))))


def param_groups(model, lr, weight_decay):
    """No decay for one-dimensional parameters, a larger rate for the new head."""
    head = {id(p) for p in model.head.parameters()}
    decay, no_decay, new = [], [], []
    for p in model.parameters():
        if not p.requires_grad:
            continue
        if id(p) in head:
            new.append(p)
        elif p.ndim <= 1:
            no_decay.append(p)
        else:
            decay.append(p)
    return [
        {"params": decay, "weight_decay": weight_decay},
        {"params": no_decay, "weight_decay": 0.0},
        {"params": new, "lr": lr * 10},
    ]


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Net().to(device)
    model.backbone[0].requires_grad_(False)
    opt = torch.optim.AdamW(param_groups(model, 1e-4, 0.01), lr=1e-4)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=4)
    for step in range(4):
        x = torch.randn(16, 6, device=device)
        loss = F.cross_entropy(model(x), (x[:, 0] > 0).long())
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
    print(loss.item(), [g["lr"] for g in opt.param_groups])


if __name__ == "__main__":
    main()
