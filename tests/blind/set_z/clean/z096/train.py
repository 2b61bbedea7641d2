import argparse
import logging

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

import schedulers

logger = logging.getLogger(__name__)


class Ratings(Dataset):
    def __init__(self, n, users, items):
        self.u, self.i = torch.randint(0, users, (n,)), torch.randint(0, items, (n,))
        self.r = ((self.u * 7 + self.i * 3) % 5).float()

    def __len__(self):
        return len(self.r)

    def __getitem__(self, k):
        return {"user": self.u[k], "item": self.i[k], "rating": self.r[k]}


class NeuMF(nn.Module):
    def __init__(self, users, items, dim=6):
        super().__init__()
        self.tables = nn.ModuleDict({f"{kind}_{part}": nn.Embedding(n, dim) for kind, n in
                                     (("user", users), ("item", items)) for part in ("gmf", "mlp")})
        self.mlp = nn.Sequential(nn.Linear(2 * dim, dim), nn.ReLU())
        self.out = nn.Linear(2 * dim, 1)

    def forward(self, user, item, **_):
        t = self.tables
        gmf = t["user_gmf"](user) * t["item_gmf"](item)
        mlp = self.mlp(torch.cat([t["user_mlp"](user), t["item_mlp"](item)], dim=-1))
        return self.out(torch.cat([gmf, mlp], dim=-1)).squeeze(-1)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--schedule", default="cosine", choices=["cosine", "constant"])
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--lr", type=float, default=1e-2)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = NeuMF(20, 15).to(device)
    loader = DataLoader(Ratings(64, 20, 15), 16, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    schedule = schedulers.make(args.schedule, optimizer, args.epochs * len(loader))
    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
    for epoch in range(args.epochs):
        losses = []
        for batch in loader:
            schedule.step()
            batch = {k: v.to(device) for k, v in batch.items()}
            loss = F.mse_loss(model(**batch), batch["rating"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        plateau.step(sum(losses) / len(losses))
        logger.info("%d %.4f", epoch, losses[-1])


if __name__ == "__main__":
    main()
