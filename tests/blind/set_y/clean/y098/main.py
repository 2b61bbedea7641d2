import torch
from torch import nn

from pipeline import TwoStage


def corrupt(ids, p=0.2):
    hit = torch.rand(ids.shape) < p
    return torch.where(hit & ids.ne(0), torch.ones_like(ids), ids)


def main():
    torch.manual_seed(2)
    model = TwoStage()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(3):
        clean = torch.randint(2, 40, (4, 10))
        clean[:2, 8:] = 0
        logits = model(corrupt(clean))
        target = clean.to(logits.device)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=0)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
