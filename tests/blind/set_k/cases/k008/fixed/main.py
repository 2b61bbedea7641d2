import torch
import torch.nn as nn
import torch.nn.functional as F

from batching import random_graphs


class GraphNet(nn.Module):
    def __init__(self, feats, hidden):
        super().__init__()
        self.lin1 = nn.Linear(feats, hidden)
        self.lin2 = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, batch):
        h = F.relu(batch.adj @ self.lin1(batch.nodes))
        h = F.relu(batch.adj @ self.lin2(h))
        return self.out(h.mean(1)).squeeze(-1)


def train(steps=6):
    device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
    model = GraphNet(5, 16)
    model.to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    losses = []
    for batch in random_graphs(steps, 10, 5):
        batch = batch.to(device)
        loss = F.mse_loss(model(batch), batch.target)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    print([round(v, 3) for v in train()])
