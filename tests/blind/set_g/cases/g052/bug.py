import torch
import torch.nn as nn


class UNetBlock(nn.Module):
    def __init__(self, ch=8):
        super().__init__()
        self.a = nn.Conv2d(1, ch, 3, padding=1)
        self.b = nn.Conv2d(ch, 1, 3, padding=1)

    def forward(self, x):
        return x + self.b(torch.relu(self.a(x)))


class AmpTrainer:
    def __init__(self, model, lr=1e-3, clip=1.0):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr)
        self.scaler = torch.amp.GradScaler(self.device.type)
        self.clip = clip

    def forward_loss(self, noisy, clean):
        with torch.autocast(self.device.type, dtype=torch.bfloat16):
            out = self.model(noisy)
        return nn.functional.l1_loss(out.float(), clean)

    def backward(self, loss):
        self.optimizer.zero_grad(set_to_none=True)
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.scaler.step(self.optimizer)

    def fit(self, batches):
        self.model.train()
        for i, (noisy, clean) in enumerate(batches):
            noisy, clean = noisy.to(self.device), clean.to(self.device)
            loss = self.forward_loss(noisy, clean)
            self.backward(loss)
            print(i, loss.item())


def make_batches(n):
    for _ in range(n):
        clean = torch.rand(2, 1, 8, 8)
        yield clean + 0.1 * torch.randn_like(clean), clean


if __name__ == "__main__":
    AmpTrainer(UNetBlock()).fit(make_batches(3))
