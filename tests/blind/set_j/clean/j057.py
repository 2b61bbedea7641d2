import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class AccumulatingTrainer:
    def __init__(self, model, optimizer, every, device):
        self.model, self.optimizer, self.every, self.device = model, optimizer, every, device
        self.micro = 0

    def _flush(self):
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        for p in self.model.parameters():
            p.grad = None
        self.micro = 0

    def feed(self, x, y):
        loss = F.cross_entropy(self.model(x.to(self.device)), y.to(self.device))
        (loss / self.every).backward()
        self.micro += 1
        if self.micro == self.every:
            self._flush()
        return loss.detach()

    def epoch(self, loader):
        self.model.train()
        losses = [self.feed(x, y) for x, y in loader]
        if self.micro:
            self._flush()
        return torch.stack(losses).mean().item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(9, 32), nn.ReLU(), nn.Linear(32, 3)).to(device)
    loader = DataLoader(TensorDataset(torch.randn(50, 9), torch.randint(0, 3, (50,))), batch_size=8)
    trainer = AccumulatingTrainer(model, torch.optim.Adam(model.parameters(), lr=1e-3), 3, device)
    for e in range(2):
        print(e, trainer.epoch(loader))


if __name__ == "__main__":
    main()
