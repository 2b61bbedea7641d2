import argparse

import torch
from torch import nn
import torch.nn.functional as F

from constraints import Constrained, init_orthogonal_


class MixtureModel(nn.Module):
    def __init__(self, dim=6, hidden=6):
        super().__init__()
        self.hidden = nn.Linear(dim, hidden)
        self.relation = nn.Parameter(torch.rand(hidden, hidden))
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        h = self.hidden(x).tanh()
        h = h + h @ self.relation
        return self.out(h).squeeze(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--lr", type=float, default=0.1)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = MixtureModel()
    init_orthogonal_(model)
    model.to(device)
    rules = [(model.hidden.weight, "max_norm"), (model.relation, "non_negative"), (model.relation, "zero_diagonal")]
    optimizer = Constrained(torch.optim.SGD(model.parameters(), lr=args.lr), rules)
    optimizer.project()
    for i in range(args.steps):
        x = torch.randn(10, 6, device=device)
        loss = F.mse_loss(model(x), x.sum(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(i, loss.item(), float(model.relation.detach().diagonal().sum()))


if __name__ == "__main__":
    main()
