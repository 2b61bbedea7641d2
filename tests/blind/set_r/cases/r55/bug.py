import torch
import torch.nn as nn
import torch.nn.functional as F


class Gcn(nn.Module):
    def __init__(self, n_in, n_hidden, n_class):
        super().__init__()
        self.a = nn.Linear(n_in, n_hidden)
        self.b = nn.Linear(n_hidden, n_class)
        self.adjacency = None

    def graph(self, edges, n):
        a = torch.eye(n)
        a[edges[0], edges[1]] = 1.0
        self.adjacency = a / a.sum(dim=1, keepdim=True)
        return self

    def forward(self, x):
        return self.b(self.adjacency @ torch.relu(self.a(self.adjacency @ x)))


def fit(model, batches, epochs=5, lr=0.05, clip=5.0):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    history = []
    for epoch in range(epochs):
        model.train()
        losses = []
        for x, y in batches:
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), clip)
            optimizer.step()
            losses.append(loss.item())
        scheduler.step()
        history.append(sum(losses) / len(losses))
    return history


def main():
    n = 30
    model = Gcn(6, 16, 3).graph(torch.randint(0, n, (2, 90)), n)
    x = torch.randn(n, 6)
    y = x[:, :3].argmax(dim=1)
    history = fit(model, [(x, y)] * 3, epochs=4)
    print([round(v, 3) for v in history])


if __name__ == "__main__":
    main()
