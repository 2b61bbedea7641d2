import torch
import torch.nn as nn
from torch.amp import GradScaler, autocast
from torch.utils.data import DataLoader, TensorDataset


class MixedPrecisionTrainer:
    def __init__(self, model, lr, device, clip=1.0):
        self.device = device
        self.model = model.to(device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr)
        self.scaler = GradScaler(device.type)
        self.dtype = torch.float16 if device.type == "cuda" else torch.bfloat16
        self.clip = clip
        self.criterion = nn.CrossEntropyLoss()

    def train_step(self, x, y):
        x = x.to(self.device)
        y = y.to(self.device)
        self.optimizer.zero_grad(set_to_none=True)
        with autocast(self.device.type, dtype=self.dtype):
            logits = self.model(x)
            loss = self.criterion(logits, y)
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss.item()

    def fit(self, loader, epochs):
        self.model.train()
        history = []
        for _ in range(epochs):
            losses = [self.train_step(x, y) for x, y in loader]
            history.append(sum(losses) / len(losses))
        return history


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(96, 20)
    y = torch.randint(0, 3, (96,))
    loader = DataLoader(TensorDataset(x, y), batch_size=24, shuffle=True)
    model = nn.Sequential(nn.Linear(20, 64), nn.GELU(), nn.Linear(64, 3))
    trainer = MixedPrecisionTrainer(model, lr=1e-3, device=device)
    print(trainer.fit(loader, epochs=2))


if __name__ == "__main__":
    main()
