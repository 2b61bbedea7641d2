import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from store import load_bundle


def build_net(dim):
    return nn.Sequential(nn.Linear(dim, 32), nn.ReLU(), nn.Linear(32, 8))


class Predictor:
    """Nearest centroid lookup; the serving boxes have no GPU."""

    def __init__(self, path):
        self.device = torch.device("cpu")
        bundle = load_bundle(path, self.device)
        self.labels = bundle["meta"]["labels"]
        self.net = build_net(bundle["meta"]["dim"])
        self.net.load_state_dict(bundle["model"])
        self.net.to(self.device).eval()
        self.centroids = F.normalize(bundle["centroids"], dim=1)

    def preprocess(self, rows):
        x = torch.from_numpy(np.asarray(rows, dtype=np.float32))
        return ((x - x.mean(1, keepdim=True)) / (x.std(1, keepdim=True) + 1e-6)).to(self.device)

    @torch.no_grad()
    def __call__(self, rows):
        emb = F.normalize(self.net(self.preprocess(rows)), dim=1)
        sims = emb @ self.centroids.t()
        return [self.labels[i] for i in sims.argmax(1).tolist()]
