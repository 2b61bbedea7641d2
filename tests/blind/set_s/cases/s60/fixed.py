import argparse
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class TinyLM(nn.Module):
    def __init__(self, vocab=24, dim=16):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def sequence_logp(self, ids):
        h, _ = self.rnn(self.embed(ids[:, :-1]))
        logp = self.out(h).log_softmax(-1)
        return logp.gather(-1, ids[:, 1:, None]).squeeze(-1).sum(-1)


def preference_loss(policy, reference, chosen, rejected, beta):
    with torch.no_grad():
        ref_margin = reference.sequence_logp(chosen) - reference.sequence_logp(rejected)
    margin = policy.sequence_logp(chosen) - policy.sequence_logp(rejected)
    loss = -F.logsigmoid(beta * (margin - ref_margin)).mean()
    return loss, (margin > ref_margin).float().mean()


def batches(n, device):
    for _ in range(n):
        chosen = torch.randint(0, 12, (8, 7), device=device)
        rejected = torch.randint(12, 24, (8, 7), device=device)
        yield chosen, rejected


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--beta", type=float, default=0.1)
    ap.add_argument("--lr", type=float, default=1e-3)
    args = ap.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    policy = TinyLM().to(device)
    reference = copy.deepcopy(policy).eval().requires_grad_(False)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=args.lr)
    for chosen, rejected in batches(8, device):
        loss, wins = preference_loss(policy, reference, chosen, rejected, args.beta)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.4f} wins {wins.item():.2f}")


if __name__ == "__main__":
    main()
