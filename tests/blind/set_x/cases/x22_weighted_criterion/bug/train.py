import torch
from torch import nn

from losses import build_criterion

COUNTS = [100, 40, 10, 4]


class Trainer:
    def __init__(self, model: nn.Module, loss_name: str = "smooth", lr: float = 1e-2):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.criterion = build_criterion(loss_name, COUNTS)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=lr, momentum=0.9)
        self.losses = []

    def training_step(self, batch):
        x, y = (t.to(self.device) for t in batch)
        return self.criterion(self.model(x), y)

    def fit(self, loader):
        self.model.train()
        for batch in loader:
            self.optimizer.zero_grad()
            loss = self.training_step(batch) 
            loss.backward()
            self.optimizer.step()
            self.losses.append(loss.detach())
        return torch.stack(self.losses).mean().item()


if __name__ == "__main__":
    data = torch.utils.data.TensorDataset(torch.randn(40, 6), torch.randint(0, 4, (40,)))
    loader = torch.utils.data.DataLoader(data, batch_size=10, shuffle=True)
    print(Trainer(nn.Linear(6, 4)).fit(loader))
