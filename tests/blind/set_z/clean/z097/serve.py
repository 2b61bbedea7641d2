import argparse
import io
import json

import numpy as np
import torch
from torch import nn

from service import Predictor


class Head(nn.Module):
    def __init__(self, dim=6, classes=3):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 12), nn.Tanh(), nn.Linear(12, classes))

    def forward(self, x):
        return self.net(x)


def load_weights(model, blob):
    state = torch.load(io.BytesIO(blob), map_location="cpu", weights_only=True)
    model.load_state_dict(state)
    return model


def trained_blob(steps=3):
    model = Head()
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(steps):
        x = torch.randn(16, 6)
        loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
        opt.zero_grad()
        loss.backward()
        opt.step()
    buf = io.BytesIO()
    torch.save(model.state_dict(), buf)
    return buf.getvalue()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--device", default=None)
    p.add_argument("--requests", type=int, default=6)
    args = p.parse_args()
    predictor = Predictor(load_weights(Head(), trained_blob()), args.device)
    rng = np.random.default_rng(0)
    rows = [rng.random(6).tolist() for _ in range(args.requests)]
    print(json.dumps(predictor.predict(rows)))
    predictor.to("cpu")
    print(predictor.device, len(predictor.predict([rng.random(6), torch.rand(6)])))


if __name__ == "__main__":
    main()
