import torch
from torch import nn
import torch.nn.functional as F


class GatedCell(nn.Module):
    def __init__(self, din, dim):
        super().__init__()
        self.gate = nn.Linear(din + dim, dim)
        self.cand = nn.Linear(din + dim, dim)

    def forward(self, x, h):
        z = torch.sigmoid(self.gate(torch.cat([x, h], dim=-1)))
        return z * h + (1 - z) * torch.tanh(self.cand(torch.cat([x, h], dim=-1)))


class StatefulModel(nn.Module):
    def __init__(self, vocab=20, dim=16):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.cell = GatedCell(dim, dim)
        self.head = nn.Linear(dim, vocab)
        self.state = None

    def start(self, batch):
        self.state = self.head.weight.new_zeros(batch, self.cell.gate.out_features)

    def cut(self):
        self.state = self.state.detach()

    def forward(self, ids):
        self.state = self.cell(self.embed(ids), self.state)
        return self.head(self.state)


class Tbptt:
    def __init__(self, model, every):
        self.model, self.every = model, every
        self.optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)

    def run(self, stream):
        self.model.start(stream.shape[0])
        loss, reported = 0.0, []
        for t in range(stream.shape[1] - 1):
            loss = loss + F.cross_entropy(self.model(stream[:, t]), stream[:, t + 1])
            if (t + 1) % self.every == 0:
                self.optimizer.zero_grad()
                (loss / self.every).backward()
                nn.utils.clip_grad_norm_(self.model.parameters(), 0.5)
                self.optimizer.step()
                reported.append(loss.item() / self.every)
                self.model.cut()
                loss = 0.0
        return sum(reported) / len(reported)


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    trainer = Tbptt(StatefulModel().to(device), every=5)
    for epoch in range(2):
        print(epoch, trainer.run(torch.randint(0, 20, (3, 26), device=device)))
