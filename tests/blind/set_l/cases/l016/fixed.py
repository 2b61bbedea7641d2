import numpy as np
import torch
import torch.nn as nn


class FeatureExtractor:
    def __init__(self, model, layer, device):
        self.model = model.to(device).eval()
        self.device = device
        self._out = None
        dict(self.model.named_modules())[layer].register_forward_hook(self._capture)

    def _capture(self, module, args, output):
        self._out = output.flatten(1)

    @torch.no_grad()
    def __call__(self, loader):
        feats, labels = [], []
        for x, y in loader:
            self.model(x.to(self.device))
            feats.append(self._out.cpu())
            labels.append(y)
        return torch.cat(feats), torch.cat(labels)


class KNN:
    def __init__(self, k=3):
        self.k = k

    def fit(self, x, y):
        self.x = x / np.linalg.norm(x, axis=1, keepdims=True)
        self.y = y
        return self

    def predict(self, x):
        sims = x @ self.x.T
        nearest = np.argsort(-sims, axis=1)[:, : self.k]
        return np.array([np.bincount(self.y[row]).argmax() for row in nearest])


def batches(n, bs=16):
    for _ in range(n):
        y = torch.randint(0, 3, (bs,))
        yield torch.randn(bs, 1, 8, 8) + y.view(-1, 1, 1, 1), y


def evaluate(extractor):
    train_x, train_y = extractor(batches(4))
    test_x, test_y = extractor(batches(2))
    knn = KNN().fit(train_x.numpy(), train_y.numpy())
    return float((knn.predict(test_x.numpy()) == test_y.numpy()).mean())


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential()
net.add_module("stem", nn.Conv2d(1, 4, 3))
net.add_module("act", nn.ReLU())
net.add_module("pool", nn.AdaptiveAvgPool2d(2))
net.add_module("flat", nn.Flatten())
net.add_module("fc", nn.Linear(16, 3))
print("knn acc", evaluate(FeatureExtractor(net, "pool", device)))
