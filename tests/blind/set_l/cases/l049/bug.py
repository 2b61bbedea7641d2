import math
import os
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F


class BaseTrainer:
    def __init__(self, model, workdir, patience=2):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
        self.path = os.path.join(workdir, "best.pt")
        self.patience = patience

    def compute_loss(self, batch):
        raise NotImplementedError

    def train_epoch(self, batches):
        self.model.train()
        for batch in batches:
            loss = self.compute_loss(batch)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    def validate(self, batches):
        self.model.eval()
        scores = []
        for batch in batches:
            scores.append(self.compute_loss(batch).item())
        return sum(scores) / len(scores)

    def fit(self, train, val, epochs):
        best, bad = math.inf, 0
        for epoch in range(epochs):
            self.train_epoch(train)
            score = self.validate(val)
            if score < best:
                best, bad = score, 0
                torch.save({k: v.cpu() for k, v in self.model.state_dict().items()}, self.path)
            else:
                bad += 1
                if bad >= self.patience:
                    break
        self.model.load_state_dict(torch.load(self.path, map_location=self.device))
        return best


class SeqTrainer(BaseTrainer):
    def compute_loss(self, batch):
        ids = batch.to(self.device)
        logits = self.model(ids[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())


class CharLM(nn.Module):
    def __init__(self, vocab=20, dim=24):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids):
        return self.out(self.rnn(self.embed(ids))[0])


train = [torch.randint(0, 20, (8, 12)) for _ in range(4)]
val = [torch.randint(0, 20, (8, 12)) for _ in range(2)]
with tempfile.TemporaryDirectory() as folder:
    trainer = SeqTrainer(CharLM(), folder)
    print("best", trainer.fit(train, val, 3))
