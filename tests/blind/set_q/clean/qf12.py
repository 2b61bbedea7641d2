import random

import numpy as np
import torch
import torch.nn as nn


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class Snapshot:
    """Everything needed to take a step again exactly as it was."""

    def __init__(self, model, optimizer):
        self.model, self.optimizer = model, optimizer

    def take(self):
        state = {
            "model": {k: v.detach().clone() for k, v in self.model.state_dict().items()},
            "opt": {i: {k: v.clone() if torch.is_tensor(v) else v for k, v in s.items()}
                    for i, s in enumerate(self.optimizer.state.values())},
            "rng": (random.getstate(), np.random.get_state(), torch.get_rng_state()),
        }
        return state

    def restore(self, state):
        self.model.load_state_dict(state["model"])
        for s, old in zip(self.optimizer.state.values(), state["opt"].values()):
            for k, v in old.items():
                s[k] = v.clone() if torch.is_tensor(v) else v
        py, npy, cpu = state["rng"]
        random.setstate(py)
        np.random.set_state(npy)
        torch.set_rng_state(cpu)


def noisy_batch(device):
    x = torch.randn(24, 5)
    noise = np.random.normal(scale=0.1, size=24).astype(np.float32)
    y = x.mean(1) + torch.from_numpy(noise)
    return x.to(device), y.to(device)


def step(model, opt, device):
    x, y = noisy_batch(device)
    loss = nn.functional.mse_loss(model(x).squeeze(-1), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.detach()


def main():
    seed_everything(7)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1)).to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    snap = Snapshot(model, opt)
    for _ in range(3):
        step(model, opt, device)
    state = snap.take()
    first = [step(model, opt, device) for _ in range(3)]
    snap.restore(state)
    second = [step(model, opt, device) for _ in range(3)]
    same = torch.allclose(torch.stack(first), torch.stack(second), atol=1e-6)
    if not same:
        raise SystemExit("the replay went another way")
    print([round(v.item(), 5) for v in second])


if __name__ == "__main__":
    main()
