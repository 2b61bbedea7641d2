import torch
import torch.nn as nn
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, TensorDataset


def warmup_then_linear(optimizer, warmup, total):
    def factor(step):
        if step < warmup:
            return (step + 1) / warmup
        return max(0.0, (total - step) / (total - warmup))
    return LambdaLR(optimizer, factor)


class LanguageModel(nn.Module):
    def __init__(self, vocab=50, dim=24):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab, bias=False)
        self.out.weight = self.tok.weight

    def forward(self, ids):
        return self.out(self.rnn(self.tok(ids))[0])


class Learner:
    def __init__(self, model, total_steps, lr=1e-3, warmup=4):
        self.model = model
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr)
        self.sched = warmup_then_linear(self.opt, warmup, total_steps)
        self.ce = nn.CrossEntropyLoss()

    def _apply_gradients(self):
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.sched.step()
        self.opt.step()

    def step(self, ids):
        self.opt.zero_grad()
        logits = self.model(ids[:, :-1])
        loss = self.ce(logits.flatten(0, 1), ids[:, 1:].flatten())
        loss.backward()
        self._apply_gradients()
        return loss.item(), self.sched.get_last_lr()[0]


def main():
    torch.manual_seed(0)
    ids = torch.randint(0, 50, (64, 12))
    loader = DataLoader(TensorDataset(ids), batch_size=8, shuffle=True)
    epochs = 2
    learner = Learner(LanguageModel(), total_steps=epochs * len(loader))
    learner.model.train()
    for epoch in range(epochs):
        for (batch,) in loader:
            loss, lr = learner.step(batch)
        print(f"epoch {epoch} loss {loss:.3f} lr {lr:.2e}")


if __name__ == "__main__":
    main()
