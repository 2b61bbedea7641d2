"""Neighbour sampling on the host, convolution on the device."""
import torch
from torch import nn


class Graph:
    def __init__(self, n, d, degree=4):
        self.x = torch.randn(n, d)
        self.y = torch.randint(0, 3, (n,))
        self.neighbours = torch.randint(0, n, (n, degree))

    def block(self, seeds, fanout):
        pick = torch.randint(0, self.neighbours.size(1), (len(seeds), fanout))
        nbr = self.neighbours[seeds].gather(1, pick)
        nodes, inverse = torch.cat([seeds, nbr.flatten()]).unique(return_inverse=True)
        return nodes, inverse[: len(seeds)], inverse[len(seeds) :].view(len(seeds), fanout)


class Sage(nn.Module):
    def __init__(self, d, h, k):
        super().__init__()
        self.self_lin, self.nbr_lin = nn.Linear(d, h), nn.Linear(d, h)
        self.out = nn.Linear(h, k)

    def forward(self, x, seeds, nbr):
        return self.out(torch.relu(self.self_lin(x[seeds]) + self.nbr_lin(x[nbr].mean(1))))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    graph = Graph(30, 5)
    net = Sage(5, 8, 3).to(device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    for seeds in torch.randperm(30).split(10):
        nodes, s, nbr = graph.block(seeds, 2)
        x = graph.x[nodes].to(device)
        logits = net(x, s, nbr)
        loss = nn.functional.cross_entropy(logits, graph.y[seeds].to(device))
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    scores = torch.empty(30, 3)
    with torch.no_grad():
        for seeds in torch.arange(30).split(10):
            nodes, s, nbr = graph.block(seeds, 4)
            scores[seeds] = net(graph.x[nodes].to(device), s, nbr).cpu()
    print((scores.argmax(1) == graph.y).float().mean().item())


if __name__ == "__main__":
    main()
