import torch
import torch.nn.functional as F
import ckpt
from net import build


class Experiment:
    def __init__(self, lr=0.01):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = build()
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.start = 0
        self.curve = []

    def restore(self, tag):
        self.start = ckpt.resume(tag, self.model, self.optimizer)
        return self

    def batches(self, n=3):
        for _ in range(n):
            ids = torch.randint(0, 30, (8, 5))
            yield ids[:, :4].to(self.device), ids[:, 4].to(self.device)

    def one_epoch(self):
        total = 0.0
        for ctx, nxt in self.batches():
            loss = F.cross_entropy(self.model(ctx), nxt)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            total += loss.item()
        return total / 3

    def run(self, epochs, tag):
        self.model.to(self.device)
        for ep in range(self.start, epochs):
            self.curve.append(self.one_epoch())
            ckpt.save(tag, ep, self.model, self.optimizer)
        return self.curve


def main():
    first = Experiment()
    first.run(2, "lm")
    second = Experiment().restore("lm")
    curve = second.run(4, "lm")
    print([round(c, 3) for c in curve])


main()
