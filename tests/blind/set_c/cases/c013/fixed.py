import argparse
from collections import Counter

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class SentimentCNN(nn.Module):
    def __init__(self, vocab=100, dim=16, classes=3):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.convs = nn.ModuleList(nn.Conv1d(dim, 8, k) for k in (2, 3))
        self.fc = nn.Linear(16, classes)

    def forward(self, ids):
        e = self.emb(ids).transpose(1, 2)
        pooled = [torch.relu(c(e)).amax(-1) for c in self.convs]
        return self.fc(torch.cat(pooled, 1))


def confusion(y_true, y_pred, n):
    m = np.zeros((n, n), dtype=int)
    for (t, p), c in Counter(zip(y_true.tolist(), y_pred.tolist())).items():
        m[t, p] = c
    return m


@torch.no_grad()
def predict(model, loader, device):
    model.eval()
    preds, golds = [], []
    for ids, labels in loader:
        logits = model(ids.to(device))
        preds.append(logits.softmax(-1).argmax(-1).cpu().numpy())
        golds.append(labels.numpy())
    return np.concatenate(golds), np.concatenate(preds)


def main(argv=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("--limit", type=int, default=512)
    ap.add_argument("--cpu", action="store_true")
    args = ap.parse_args(argv)
    device = torch.device("cuda" if torch.cuda.is_available() and not args.cpu else "cpu")
    model = SentimentCNN().to(device)
    data = TensorDataset(torch.randint(0, 100, (args.limit, 9)), torch.randint(0, 3, (args.limit,)))
    y_true, y_pred = predict(model, DataLoader(data, batch_size=4), device)
    print(confusion(y_true, y_pred, 3))
    print("accuracy", (y_true == y_pred).mean())


if __name__ == "__main__":
    main()
