import torch
import torch.nn as nn
import torch.nn.functional as F
import surgery


class Backbone(nn.Module):
    def __init__(self, n=10):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU())
        self.head = nn.Linear(16, n)

    def forward(self, x):
        return self.head(self.features(x))


class Learner:
    def __init__(self, model, lr=0.05):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.lr = lr
        self.configure()

    def configure(self):
        groups = [
            {"params": self.model.features.parameters(), "lr": self.lr * 0.1},
            {"params": self.model.head.parameters()},
        ]
        self.opt = torch.optim.SGD(groups, lr=self.lr, momentum=0.9)

    def adapt(self, n_classes):
        surgery.swap_activation(self.model.features, nn.ReLU, nn.GELU)
        surgery.new_head(self.model, n_classes)
        return self

    def epoch(self, x, y, bs=16):
        self.model.train()
        order = torch.randperm(len(x))
        last = 0.0
        for idx in order.split(bs):
            loss = F.cross_entropy(self.model(x[idx].to(self.device)), y[idx].to(self.device))
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            last = loss.item()
        return last


torch.manual_seed(0)
learner = Learner(Backbone())
source = torch.randn(64, 8), torch.randint(0, 10, (64,))
learner.epoch(*source)
learner.adapt(3)
before = learner.model.head.weight.detach().cpu().clone()
target = torch.randn(64, 8), torch.randint(0, 3, (64,))
for e in range(3):
    print(e, learner.epoch(*target))
