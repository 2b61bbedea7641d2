import torch
from torch import nn
import torch.nn.functional as F
from index import PassageIndex


class Encoder(nn.Sequential):
    def __init__(self, d=20, out=12):
        super().__init__(nn.Linear(d, 32), nn.Tanh(), nn.Linear(32, out))


def loss_fn(q, gold, index, k=6):
    scores = q @ index.vectors.t() / 0.1
    hard = torch.zeros_like(scores, dtype=torch.bool)
    hard.scatter_(1, index.search(q, k), True)
    hard.scatter_(1, gold[:, None], True)
    return F.cross_entropy(scores.masked_fill(~hard, -1e4), gold)


def main(epochs=2):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    index = PassageIndex(torch.randn(40, 20).to(device))
    q_enc, p_enc = Encoder().to(device), Encoder().to(device)
    opt = torch.optim.AdamW(q_enc.parameters(), lr=1e-3)
    for epoch in range(epochs):
        index.refresh(p_enc)
        for _ in range(3):
            gold = torch.randint(40, (8,), device=device)
            question = index.passages[gold] + 0.3 * torch.randn(8, 20, device=device)
            q = F.normalize(q_enc(question), dim=-1)
            loss = loss_fn(q, gold, index)
            opt.zero_grad()
            loss.backward()
            opt.step()
        with torch.no_grad():
            p_enc.load_state_dict(q_enc.state_dict())
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
