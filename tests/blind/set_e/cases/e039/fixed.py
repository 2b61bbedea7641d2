import torch
from torch import nn


class SpanModel(nn.Module):
    def __init__(self, vocab=30, dim=8):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.start, self.end = nn.Linear(dim, 1), nn.Linear(dim, 1)

    def forward(self, ids):
        h = self.emb(ids)
        return self.start(h).squeeze(-1), self.end(h).squeeze(-1)


def soft_f1(start_logits, end_logits, start, end):
    n = start_logits.size(1)
    pos = torch.arange(n, device=start_logits.device).float()
    pred_s = (start_logits.softmax(1) * pos).sum(1)
    pred_e = (end_logits.softmax(1) * pos).sum(1)
    overlap = (torch.min(pred_e, end) - torch.max(pred_s, start) + 1).clamp(min=0)
    size = (pred_e - pred_s + 1).clamp(min=1) + (end - start + 1)
    return 1 - (2 * overlap / size).mean() + 0 * pos.sum()


def main(steps=2):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SpanModel().to(device)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(steps):
        ids = torch.randint(0, 30, (4, 9), device=device)
        start = torch.randint(0, 4, (4,), device=device).float()
        loss = soft_f1(*model(ids), start, start + 2)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())


if __name__ == "__main__":
    main()
