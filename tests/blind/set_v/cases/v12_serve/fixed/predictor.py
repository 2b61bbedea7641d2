import numpy as np
import torch
from torch import nn


class Scorer(nn.Module):
    def __init__(self, n_features):
        super().__init__()
        self.norm = nn.LayerNorm(n_features)
        self.net = nn.Sequential(nn.Linear(n_features, 32), nn.SiLU(), nn.Linear(32, 1))

    def forward(self, x):
        return torch.sigmoid(self.net(self.norm(x))).squeeze(-1)


class Predictor:
    def __init__(self, model, device):
        self.model = model.to(device).eval()
        self.device = device

    @classmethod
    def load(cls, n_features):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        return cls(Scorer(n_features), device)

    def collate(self, rows):
        arr = np.asarray([list(r.values()) for r in rows], dtype=np.float32)
        return torch.from_numpy(arr).to(self.device)

    @torch.no_grad()
    def __call__(self, rows, batch_size=4):
        scores = []
        for i in range(0, len(rows), batch_size):
            batch = self.collate(rows[i : i + batch_size])
            scores.extend(self.model(batch).tolist())
        return scores
