import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

from data import loaders


class Sentiment(nn.Module):
    def __init__(self, vocab=100, dim=24):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.fc = nn.Linear(dim, 2)

    def forward(self, input_ids, attention_mask, labels=None):
        m = attention_mask.unsqueeze(-1)
        x = (self.emb(input_ids) * m).sum(1) / m.sum(1)
        logits = self.fc(x)
        loss = None if labels is None else F.cross_entropy(logits, labels)
        return {"loss": loss, "logits": logits}


class Run:
    def __init__(self, args):
        self.args = args
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = Sentiment().to(self.device)
        self.train_loader, self.val_loader = loaders(args.batch_size)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=args.lr)

    def train(self):
        self.model.train()
        for batch in self.train_loader:
            batch = {k: v.to(self.device) for k, v in batch.items()}
            self.opt.zero_grad()
            self.model(**batch)["loss"].backward()
            self.opt.step()

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        hits = total = 0
        for batch in self.val_loader:
            batch = batch.to(self.device)
            out = self.model(**batch)
            hits += (out["logits"].argmax(-1) == batch["labels"]).sum().item()
            total += len(batch["labels"])
        return hits / total


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--batch-size", type=int, default=8)
    p.add_argument("--lr", type=float, default=5e-4)
    run = Run(p.parse_args())
    for epoch in range(run.args.epochs):
        run.train()
        print(epoch, run.validate())
