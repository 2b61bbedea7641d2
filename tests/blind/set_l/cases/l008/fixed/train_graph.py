import torch
import torch.nn as nn
import torch.nn.functional as F

from graph import MeanConv, random_graph


class GNN(nn.Module):
    def __init__(self, dims):
        super().__init__()
        self.convs = nn.ModuleList(MeanConv(a, b) for a, b in zip(dims, dims[1:]))

    def forward(self, g):
        h = g.x
        for i, conv in enumerate(self.convs):
            h = conv(h, g.edge_index)
            if i + 1 < len(self.convs):
                h = F.dropout(F.relu(h), 0.2, self.training)
        return h


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    graph = random_graph().to(device)
    model = GNN([8, 16, 3]).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    for epoch in range(5):
        model.train()
        opt.zero_grad()
        loss = F.cross_entropy(model(graph), graph.y)
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        acc = (model(graph).argmax(1) == graph.y).float().mean().item()
    print(f"train acc {acc:.2f}")


if __name__ == "__main__":
    main()
