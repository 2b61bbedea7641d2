import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class AccumulatingTrainer:
    def __init__(self, model, every=3, clip=1.0):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model, self.every, self.clip = model.to(self.device), every, clip
        self.opt = torch.optim.AdamW(self.param_groups(), lr=1e-3)

    def param_groups(self):
        decay, plain = [], []
        for name, p in self.model.named_parameters():
            (plain if p.ndim < 2 else decay).append(p)
        return [{"params": decay, "weight_decay": 0.1}, {"params": plain, "weight_decay": 0.0}]

    def flush(self):
        nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.opt.step()
        self.opt.zero_grad()

    def epoch(self, loader):
        self.model.train()
        pending = 0
        for i, (x, y) in enumerate(loader, 1):
            loss = nn.functional.cross_entropy(self.model(x.to(self.device)), y.to(self.device))
            (loss / self.every).backward()
            pending += 1
            if i % self.every == 0:
                self.flush()
                pending = 0
        if pending:
            self.flush()


t = AccumulatingTrainer(nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3)))
loader = DataLoader(TensorDataset(torch.randn(40, 6), torch.randint(0, 3, (40,))), batch_size=5, shuffle=True)
for _ in range(2):
    t.epoch(loader)
