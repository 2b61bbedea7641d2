import torch
from torch import nn


class Backbone(nn.Sequential):
    def __init__(self, dim=16):
        super().__init__(nn.Linear(dim, 32), nn.LayerNorm(32), nn.GELU(), nn.Linear(32, 32))


def info_nce(a, b, temperature=0.1):
    a, b = nn.functional.normalize(a, dim=1), nn.functional.normalize(b, dim=1)
    logits = a @ b.t() / temperature
    return nn.functional.cross_entropy(logits.float(), torch.arange(len(a), device=a.device))


def main(steps=6, accumulate=2):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    use_scaler = device.type == "cuda"
    dtype = torch.float16 if use_scaler else torch.bfloat16
    net, head = Backbone().to(device), nn.Linear(32, 8).to(device)
    opts = [torch.optim.AdamW(net.parameters(), lr=1e-3), torch.optim.SGD(head.parameters(), lr=1e-2)]
    scheds = [torch.optim.lr_scheduler.ExponentialLR(o, 0.9) for o in opts]
    scaler = torch.amp.GradScaler(device.type, enabled=use_scaler)
    for step in range(steps):
        x = torch.randn(24, 16, device=device)
        with torch.autocast(device.type, dtype=dtype):
            z1 = head(net(x + 0.1 * torch.randn_like(x)))
            z2 = head(net(x + 0.1 * torch.randn_like(x)))
            loss = info_nce(z1, z2) / accumulate
        scaler.scale(loss).backward()
        if (step + 1) % accumulate:
            continue
        for opt in opts:
            scaler.unscale_(opt)
        nn.utils.clip_grad_norm_([*net.parameters(), *head.parameters()], 1.0)
        before = scaler.get_scale()
        for opt in opts:
            scaler.step(opt)
        scaler.update()
        if scaler.get_scale() >= before:
            for sched in scheds:
                sched.step()
        for opt in opts:
            opt.zero_grad(set_to_none=True)
    print(loss.item() * accumulate, scheds[0].get_last_lr())


if __name__ == "__main__":
    main()
