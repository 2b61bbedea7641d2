import torch
from torch import nn
import torch.nn.functional as F


class SharedEncoder(nn.Module):
    def __init__(self, n_tokens=50, dim=24):
        super().__init__()
        self.emb = nn.Embedding(n_tokens, dim, padding_idx=0)
        self.rnn = nn.GRU(dim, dim, batch_first=True, bidirectional=True)

    def forward(self, ids):
        return self.rnn(self.emb(ids))[0]


class Tagger(nn.Module):
    def __init__(self, dim=48, tags=5):
        super().__init__()
        self.out = nn.Linear(dim, tags)

    def loss(self, states, batch):
        return F.cross_entropy(self.out(states).flatten(0, 1), batch["tags"].flatten(), ignore_index=-1)


class Intent(nn.Module):
    def __init__(self, dim=48, intents=4):
        super().__init__()
        self.out = nn.Linear(dim, intents)

    def loss(self, states, batch):
        keep = (batch["ids"] != 0).unsqueeze(-1)
        pooled = (states * keep).sum(1) / keep.sum(1)
        return F.cross_entropy(self.out(pooled), batch["intent"])


def make_batch(n=8, t=10):
    ids = torch.randint(1, 50, (n, t))
    lengths = torch.randint(4, t + 1, (n, 1))
    pad = torch.arange(t) >= lengths
    tags = (ids % 5).masked_fill(pad, -1)
    return {"ids": ids.masked_fill(pad, 0), "tags": tags, "intent": ids[:, 0] % 4}


class JointTrainer:
    def __init__(self, tasks, weights):
        self.encoder = SharedEncoder()
        self.tasks = nn.ModuleDict(tasks)
        self.weights = weights
        self.optimizer = torch.optim.Adam([*self.encoder.parameters(), *self.tasks.parameters()], lr=2e-3)

    def train_step(self, batch):
        self.optimizer.zero_grad()
        states = self.encoder(batch["ids"])
        report = {}
        for name, task in self.tasks.items():
            loss = self.weights[name] * task.loss(states, batch)
            loss.backward()
            report[name] = loss.item()
        nn.utils.clip_grad_norm_(self.encoder.parameters(), 1.0)
        self.optimizer.step()
        return report


if __name__ == "__main__":
    torch.manual_seed(0)
    trainer = JointTrainer({"tag": Tagger(), "intent": Intent()}, {"tag": 1.0, "intent": 0.5})
    for step in range(5):
        print(step, trainer.train_step(make_batch()))
