import torch
import torch.nn as nn
import torch.nn.functional as F


def train(model, batches, device, accum=2, epochs=1):
    use_amp = device.type == "cuda"
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    sched = torch.optim.lr_scheduler.StepLR(opt, 1, gamma=0.9)
    scaler = torch.amp.GradScaler(device.type, enabled=use_amp)
    model.train()
    for epoch in range(epochs):
        opt.zero_grad(set_to_none=True)
        for i, (x, y) in enumerate(batches):
            x, y = x.to(device), y.to(device)
            with torch.autocast(device.type, dtype=torch.float16 if use_amp else torch.bfloat16, enabled=use_amp):
                loss = F.cross_entropy(model(x), y) / accum
            scaler.scale(loss).backward()
            if (i + 1) % accum == 0 or i + 1 == len(batches):
                scaler.unscale_(opt)
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                scaler.step(opt)
                scaler.update()
                opt.zero_grad(set_to_none=True)
        sched.step()
    return loss.item() * accum


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 4)).to(device)
    data = [(torch.randn(8, 10), torch.randint(0, 4, (8,))) for _ in range(5)]
    print(train(model, data, device))


if __name__ == "__main__":
    main()
