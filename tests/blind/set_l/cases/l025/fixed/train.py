import torch
import torch.nn.functional as F

from factory import build

SPEC = {
    "model": {"vocab": 60, "dim": 16, "classes": 4},
    "optim": {"name": "adagrad", "lr": 0.05},
}


class Runner:
    def __init__(self, spec):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model, self.optimizer = build(spec)
        self.spec = spec

    def batch(self):
        ids = torch.randint(0, self.spec["model"]["vocab"], (16, 9))
        return ids.to(self.device), (ids[:, 0] % self.spec["model"]["classes"]).to(self.device)

    def update(self, loss):
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def run(self, steps):
        for step in range(steps):
            ids, y = self.batch()
            loss = F.cross_entropy(self.model(ids), y)
            self.update(loss)
            print(step, loss.item())


if __name__ == "__main__":
    Runner(SPEC).run(3)
