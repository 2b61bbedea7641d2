import torch
import torch.nn as nn
import torch.nn.functional as F

from optim import param_groups, warmup_cosine


class TiedLM(nn.Module):
    def __init__(self, vocab=30, dim=16):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, vocab, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, ids):
        h, _ = self.rnn(self.embed(ids))
        return self.head(self.norm(h))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = TiedLM()
    optimizer = torch.optim.AdamW(param_groups(model, 0.1), lr=1e-2)
    model.to(device)
    scheduler = warmup_cosine(optimizer, 2, 8)
    for step in range(8):
        ids = torch.randint(0, 30, (4, 10), device=device)
        loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        scheduler.step()
    print(loss.item(), scheduler.get_last_lr())


if __name__ == "__main__":
    main()
