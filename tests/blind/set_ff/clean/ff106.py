import torch
import torch.nn as nn
import torch.nn.functional as F


def add_self_loops(edges, nodes):
    loops = torch.arange(nodes, device=edges.device).repeat(2, 1)
    return torch.cat([edges, loops], dim=1)


def segment_softmax(scores, index, nodes):
    top = scores.new_full((nodes,) + scores.shape[1:], float("-inf"))
    top = top.scatter_reduce(0, index[:, None].expand_as(scores), scores.detach(), reduce="amax")
    exp = (scores - top[index]).exp()
    total = torch.zeros_like(top).index_add(0, index, exp)
    return exp / total[index].clamp_min(1e-12)


class GATLayer(nn.Module):
    def __init__(self, cin, cout, heads):
        super().__init__()
        self.lin = nn.Linear(cin, cout * heads, bias=False)
        self.src = nn.Parameter(torch.empty(heads, cout))
        self.dst = nn.Parameter(torch.empty(heads, cout))
        nn.init.xavier_uniform_(self.src)
        nn.init.xavier_uniform_(self.dst)
        self.heads, self.cout = heads, cout

    def forward(self, x, edges):
        n = x.size(0)
        h = self.lin(x).view(n, self.heads, self.cout)
        i, j = edges
        e = F.leaky_relu((h * self.src).sum(-1)[i] + (h * self.dst).sum(-1)[j], 0.2)
        alpha = segment_softmax(e, j, n)
        out = h.new_zeros(n, self.heads, self.cout)
        out.index_add_(0, j, alpha.unsqueeze(-1) * h[i])
        return out.flatten(1)


class GAT(nn.Module):
    def __init__(self, features, classes, hidden=8, heads=2):
        super().__init__()
        self.layers = nn.ModuleList([GATLayer(features, hidden, heads), GATLayer(hidden * heads, classes, 1)])
        self.dropout = nn.Dropout(0.3)

    def forward(self, x, edges):
        edges = add_self_loops(edges, len(x))
        x = F.elu(self.layers[0](self.dropout(x), edges))
        return self.layers[1](self.dropout(x), edges)


class Graph:
    def __init__(self, x, edges, y, train_mask):
        self.x, self.edges, self.y, self.train_mask = x, edges, y, train_mask

    def to(self, device):
        moved = {k: v.to(device) for k, v in vars(self).items()}
        return Graph(**moved)


def random_graph(n=30, features=10, classes=3):
    mask = torch.zeros(n, dtype=torch.bool)
    mask[: n // 2] = True
    return Graph(torch.randn(n, features), torch.randint(0, n, (2, 4 * n)), torch.randint(0, classes, (n,)), mask)


def main(epochs=4):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    graph = random_graph().to(device)
    net = GAT(10, 3).to(device)
    opt = torch.optim.Adam(net.parameters(), lr=5e-3, weight_decay=5e-4)
    for epoch in range(epochs):
        net.train()
        opt.zero_grad()
        loss = F.cross_entropy(net(graph.x, graph.edges)[graph.train_mask], graph.y[graph.train_mask])
        loss.backward()
        opt.step()
        net.eval()
        with torch.no_grad():
            pred = net(graph.x, graph.edges).argmax(1)
        hits = (pred == graph.y)[~graph.train_mask].float().mean()
        print(epoch, loss.item(), hits.item())


if __name__ == "__main__":
    main()
