import csv
import io

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

RAW = "\n".join(["age,income,city,label"] + [
    f"{20 + i % 40},{1000 + 37 * i % 900},{i % 5},{int(i % 7 < 3)}" for i in range(60)
])


class Table(Dataset):
    def __init__(self, text):
        rows = list(csv.DictReader(io.StringIO(text)))
        numeric = np.array([[float(r["age"]), float(r["income"])] for r in rows], dtype=np.float32)
        self.mean, self.std = numeric.mean(0), numeric.std(0) + 1e-6
        self.numeric = (numeric - self.mean) / self.std
        self.city = np.array([int(r["city"]) for r in rows])
        self.label = np.array([float(r["label"]) for r in rows], dtype=np.float32)

    def __len__(self):
        return len(self.label)

    def __getitem__(self, i):
        return {"numeric": self.numeric[i], "city": self.city[i], "label": self.label[i]}


class WideDeep(nn.Module):
    def __init__(self, numeric, cities, dim=4):
        super().__init__()
        self.city = nn.Embedding(cities, dim)
        self.deep = nn.Sequential(nn.Linear(numeric + dim, 16), nn.ReLU(), nn.Linear(16, 1))
        self.wide = nn.EmbeddingBag(cities, 1, mode="sum")

    def forward(self, numeric, city):
        deep = self.deep(torch.cat([numeric, self.city(city)], 1))
        return (deep + self.wide(city.unsqueeze(1))).squeeze(1)


def auc(scores: np.ndarray, labels: np.ndarray) -> float:
    order = np.argsort(scores)
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    pos = labels == 1
    n_pos, n_neg = pos.sum(), (~pos).sum()
    return float((ranks[pos].sum() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg))


def to_device(batch, device):
    return {k: v.to(device) for k, v in batch.items()}


def run(model, loader, device, optimizer=None):
    scores, labels = [], []
    for batch in loader:
        batch = to_device(batch, device)
        logits = model(batch["numeric"], batch["city"])
        if optimizer is not None:
            loss = nn.functional.binary_cross_entropy_with_logits(logits, batch["label"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        scores.append(logits.detach().cpu().numpy())
        labels.append(batch["label"].cpu().numpy())
    return auc(np.concatenate(scores), np.concatenate(labels))


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = Table(RAW)
    model = WideDeep(2, 5).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(2):
        model.train()
        train_auc = run(model, DataLoader(data, 16, shuffle=True), device, optimizer)
        model.eval()
        with torch.no_grad():
            valid_auc = run(model, DataLoader(data, 32), device)
        print(epoch, round(train_auc, 3), round(valid_auc, 3))
    one = torch.from_numpy(((np.array([[33, 1200]], dtype=np.float32) - data.mean) / data.std)).to(device)
    with torch.no_grad():
        print(torch.sigmoid(model(one, torch.tensor([2], device=device))).item())


if __name__ == "__main__":
    main()
