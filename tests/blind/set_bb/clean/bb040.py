import argparse
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.swa_utils import AveragedModel, SWALR, update_bn
from torch.utils.data import DataLoader, TensorDataset

p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=4)
p.add_argument("--swa-start", type=int, default=2)
p.add_argument("--n-models", type=int, default=2)
args = p.parse_args()
args.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.bn, self.b = nn.Linear(6, 24), nn.BatchNorm1d(24), nn.Linear(24, 3)

    def forward(self, x):
        return self.b(F.relu(self.bn(self.a(x))))


train = TensorDataset(torch.randn(120, 6), torch.randint(0, 3, (120,)))
test = TensorDataset(torch.randn(30, 6), torch.randint(0, 3, (30,)))
train_loader, test_loader = DataLoader(train, 20, shuffle=True), DataLoader(test, 10)


def fit(seed):
    torch.manual_seed(seed)
    model = Net().to(args.device)
    swa = AveragedModel(model)
    opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=args.epochs)
    swa_sched = SWALR(opt, anneal_strategy="linear", anneal_epochs=1, swa_lr=0.05)
    for epoch in range(args.epochs):
        model.train()
        for x, y in train_loader:
            loss = F.cross_entropy(model(x.to(args.device)), y.to(args.device))
            opt.zero_grad()
            loss.backward()
            opt.step()
        if epoch >= args.swa_start:
            swa.update_parameters(model)
            swa_sched.step()
        else:
            cosine.step()
    update_bn(train_loader, swa, device=args.device)
    return swa.eval()


@torch.inference_mode()
def ensemble_accuracy(models):
    good = 0
    for x, y in test_loader:
        x = x.to(args.device)
        probs = sum(m(x).softmax(1) for m in models) / len(models)
        good += (probs.argmax(1).cpu() == y).sum().item()
    return good / len(test)


models = [fit(s) for s in range(args.n_models)]
print("ensemble", ensemble_accuracy(models))
