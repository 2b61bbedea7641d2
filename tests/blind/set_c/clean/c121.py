import torch
from torch import nn


def train(model, batches, optimizer, device, use_amp):
    scaler = torch.amp.GradScaler(device.type, enabled=use_amp)
    model.train()
    for i, (x, y) in enumerate(batches):
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        with torch.autocast(device_type=device.type, dtype=torch.float16 if use_amp else torch.bfloat16, enabled=use_amp):
            logits = model(x)
            loss = nn.functional.cross_entropy(logits, y) / 2
        scaler.scale(loss).backward()
        if i % 2 == 1:
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad(set_to_none=True)
    return loss.item()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(10, 10), nn.LayerNorm(10), nn.Linear(10, 4)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    batches = [(torch.randn(4, 10), torch.randint(0, 4, (4,))) for _ in range(4)]
    print(train(model, batches, optimizer, device, use_amp=device.type == "cuda"))
