"""Soft prompt tuning of a small frozen encoder."""
import argparse
import torch
import torch.nn as nn


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--prompt-len", type=int, default=8)
    p.add_argument("--d-model", type=int, default=16)
    p.add_argument("--steps", type=int, default=4)
    args = p.parse_args()
    args.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return args


class Encoder(nn.Module):
    def __init__(self, d, vocab=50, classes=3):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        layer = nn.TransformerEncoderLayer(d, 2, dim_feedforward=32, dropout=0.0, batch_first=True)
        self.enc = nn.TransformerEncoder(layer, 1)
        self.cls = nn.Linear(d, classes)

    def from_embeddings(self, e):
        return self.cls(self.enc(e).mean(dim=1))


class PromptTuned(nn.Module):
    def __init__(self, base, length, d, device):
        super().__init__()
        self.base = base
        for p in self.base.parameters():
            p.requires_grad_(False)
        start = torch.randn(1, length, d) * 0.02
        self.prompt = nn.Parameter(start).to(device)

    def forward(self, ids):
        tok = self.base.emb(ids)
        pre = self.prompt.expand(ids.shape[0], -1, -1)
        return self.base.from_embeddings(torch.cat([pre, tok], dim=1))


def trainable(model):
    params = [p for p in model.parameters() if p.requires_grad]
    print("tuning", sum(p.numel() for p in params), "numbers")
    return params


def train(model, args):
    opt = torch.optim.AdamW(trainable(model), lr=0.05)
    loss_fn = nn.CrossEntropyLoss()
    for _ in range(args.steps):
        ids = torch.randint(0, 50, (8, 6), device=args.device)
        labels = ids.sum(1) % 3
        loss = loss_fn(model(ids), labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


if __name__ == "__main__":
    args = get_args()
    base = Encoder(args.d_model).to(args.device)
    model = PromptTuned(base, args.prompt_len, args.d_model, args.device)
    print(train(model, args))
