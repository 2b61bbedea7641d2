import argparse
import random

import torch
import torch.nn.functional as F

from seq2seq import BOS, EOS, BeamSearch, Seq2Seq


def reversal(n, length, seed=0):
    rng = random.Random(seed)
    for _ in range(n):
        rows = [[rng.randrange(3, 12) for _ in range(length)] for _ in range(8)]
        yield torch.tensor(rows), torch.tensor([[BOS] + r[::-1] + [EOS] for r in rows])


def train(model, args, device):
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    model.train()
    for step, (src, tgt) in enumerate(reversal(args.steps, args.length)):
        src, tgt = src.to(device), tgt.to(device)
        loss = F.cross_entropy(model(src, tgt).flatten(0, 1), tgt[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % args.log_every == 0:
            print(step, loss.item())


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=4)
    p.add_argument("--length", type=int, default=4)
    p.add_argument("--beam", type=int, default=3)
    p.add_argument("--lr", type=float, default=5e-3)
    p.add_argument("--log-every", type=int, default=2)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Seq2Seq().to(device)
    train(model, args, device)
    search = BeamSearch(model, args.beam)
    src, _ = next(reversal(1, args.length, seed=9))
    for row in src[:2]:
        print(row.tolist(), "->", search(row.to(device)))


if __name__ == "__main__":
    main()
