import argparse
import json

import torch
from torch.utils.data import DataLoader, Dataset

from autoencoder import SparseAutoencoder
from objectives import WeightedObjective


class Points(Dataset):
    def __init__(self, n):
        self.x = torch.randn(n, 10)
        self.y = torch.randint(0, 3, (n,))

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"x": self.x[i], "y": self.y[i]}


def build_parser():
    p = argparse.ArgumentParser()
    p.add_argument("--weights", type=json.loads, default={"recon": 1.0, "class": 0.5, "sparse": 0.01})
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--lr", type=float, default=1e-2)
    return p


args = build_parser().parse_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = SparseAutoencoder().to(device)
objective = WeightedObjective(args.weights)
optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
loader = DataLoader(Points(32), batch_size=8, shuffle=True)
for epoch in range(args.epochs):
    for batch in loader:
        batch = {k: v.to(device) for k, v in batch.items()}
        loss = objective(model(batch["x"]), batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}", objective.last)
