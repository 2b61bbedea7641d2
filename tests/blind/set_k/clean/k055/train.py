import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from arrays import average_precision, to_array


class History(dict):
    def log(self, **values):
        for k, v in values.items():
            self.setdefault(k, []).append(to_array(v))


def make(n, rng):
    x = torch.from_numpy(rng.standard_normal((n, 6), dtype=np.float32))
    return x, (x[:, 0] * x[:, 1] > 0).float()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    rng = np.random.default_rng(1)
    net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    history = History()
    for step in range(12):
        x, y = make(64, rng)
        logits = net(x.to(device)).squeeze(1)
        loss = F.binary_cross_entropy_with_logits(logits, y.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.log(loss=loss, norms=[p.norm() for p in net.parameters()])
        if step % 6 == 5:
            ap = average_precision(to_array(logits.sigmoid()), y.numpy())
            print(step, f"loss {history['loss'][-1]:.3f} ap {ap:.3f}")
    curve = np.stack(history["norms"])
    print(curve.shape, curve[-1].round(2).tolist())


if __name__ == "__main__":
    main()
