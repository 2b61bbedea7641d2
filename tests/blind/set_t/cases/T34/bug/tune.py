import argparse
import torch
from torch import nn
import torch.nn.functional as F
from frozen_lm import FrozenLM


class PromptTuned(nn.Module):
    def __init__(self, lm, length, device):
        super().__init__()
        self.lm = lm.to(device)
        self.length = length
        init = lm.emb.weight[torch.randint(len(lm.emb.weight), (length,))].cpu()
        self.prompt = nn.Parameter(init.clone()).to(device)
        self.scale = nn.Parameter(torch.ones(lm.dim, device=device))

    def forward(self, ids):
        words = self.lm.emb(ids)
        prompt = (self.prompt * self.scale).expand(len(ids), -1, -1)
        return self.lm.from_embeddings(torch.cat([prompt, words], 1))[:, self.length :]


def batches(n, vocab=32, length=10):
    for _ in range(n):
        start = torch.randint(vocab, (8, 1))
        yield (start + 3 * torch.arange(length + 1)) % vocab


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--prompt-length", type=int, default=4)
    ap.add_argument("--lr", type=float, default=0.1)
    args = ap.parse_args()
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = PromptTuned(FrozenLM(), args.prompt_length, device)
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=args.lr)
    for step, ids in enumerate(batches(5)):
        ids = ids.to(device)
        loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item())
    return model


if __name__ == "__main__":
    model = main()
