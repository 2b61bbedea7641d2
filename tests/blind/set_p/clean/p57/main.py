import torch
import torch.nn as nn

from structures import random_graph


class GraphNet(nn.Module):
    def __init__(self, dim=4, hidden=16):
        super().__init__()
        self.own = nn.Linear(dim, hidden)
        self.near = nn.Linear(dim, hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, g):
        src, dst = g.edges
        pooled = torch.zeros_like(g.nodes).index_add(0, dst, g.nodes[src])
        return self.out(torch.relu(self.own(g.nodes) + self.near(pooled)))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    graphs = [random_graph() for _ in range(6)]
    for g in graphs:
        g.to(device)
    model = GraphNet()
    model.to(device)
    criterion = nn.HuberLoss()
    criterion.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(3):
        outputs = []
        for g in graphs:
            optimizer.zero_grad()
            out = model(g)
            loss = criterion(out, g.target)
            loss.backward()
            optimizer.step()
            out.detach_()
            outputs.append(out)
        print(epoch, torch.cat(outputs).mean().item(), loss.item())
    model.cpu()
    torch.save({k: v for k, v in model.state_dict().items()}, "graphnet.pt")


if __name__ == "__main__":
    main()
