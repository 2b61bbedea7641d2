import torch
import torch.nn as nn
import torch.nn.functional as F

from groups import count, split_decay


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv1d(1, 6, 3, padding=1)
        self.norm = nn.BatchNorm1d(6)
        self.fc = nn.Linear(6, 4)
        self.log_scale = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        h = F.relu(self.norm(self.stem(x))).mean(dim=2)
        return self.fc(h) * self.log_scale.exp()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Net()
    model.stem.requires_grad_(False)
    model.fc = nn.Linear(6, 3)
    model.to(device)
    groups = split_decay(model, 0.05)
    print(count(groups))
    optimizer = torch.optim.AdamW(groups, lr=2e-3)
    params = [p for g in optimizer.param_groups for p in g["params"]]
    for _ in range(6):
        x = torch.randn(10, 1, 12, device=device)
        y = torch.randint(3, (10,), device=device)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(params, 1.0)
        optimizer.step()
    print(loss.item())


if __name__ == "__main__":
    main()
