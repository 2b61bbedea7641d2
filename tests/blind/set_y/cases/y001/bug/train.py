import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader

from graphdata import collate, random_graph


class WeightedConv(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.lin = nn.Linear(d_in, d_out)
        self.root = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x, edge_index, edge_weight):
        src, dst = edge_index
        msg = self.lin(x)[src] * edge_weight.unsqueeze(-1)
        out = self.root(x)
        return out.index_add(0, dst, msg)


class Net(nn.Module):
    def __init__(self, dim=8, hidden=16):
        super().__init__()
        self.conv1 = WeightedConv(dim, hidden)
        self.conv2 = WeightedConv(hidden, hidden)
        self.head = nn.Linear(hidden, 1)

    def forward(self, data):
        h = F.relu(self.conv1(data.x, data.edge_index, data.edge_weight))
        h = F.relu(self.conv2(h, data.edge_index, data.edge_weight))
        pooled = h.new_zeros(data.num_graphs, h.shape[1]).index_add(0, data.batch, h)
        return self.head(pooled).squeeze(-1)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader([random_graph() for _ in range(32)], batch_size=8, collate_fn=collate)
    model = Net().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(2):
        running = 0.0
        for data in loader:
            data = data.to(device)
            optimizer.zero_grad()
            loss = F.binary_cross_entropy_with_logits(model(data), data.y)
            loss.backward()
            optimizer.step()
            running += loss.item() * data.num_graphs
        print(epoch, running / 32)


if __name__ == "__main__":
    main()
