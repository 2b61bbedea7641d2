from dataclasses import dataclass

import torch
from torch import nn


@dataclass(frozen=True)
class Config:
    vocab: int = 40
    dim: int = 16
    layers: int = 2
    max_len: int = 24


def sinusoids(length, dim):
    pos = torch.arange(length, dtype=torch.float32)[:, None]
    freq = torch.exp(torch.arange(0, dim, 2, dtype=torch.float32) * (-4.0 / dim))
    return torch.cat([(pos * freq).sin(), (pos * freq).cos()], 1)


class Decoder(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.emb = nn.Embedding(cfg.vocab, cfg.dim)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(cfg.dim, 2, cfg.dim * 2, dropout=0.0, batch_first=True)
            for _ in range(cfg.layers)
        )
        self.head = nn.Linear(cfg.dim, cfg.vocab)
        self.register_buffer("pos", sinusoids(cfg.max_len, cfg.dim))

    def forward(self, ids):
        n = ids.size(1)
        mask = nn.Transformer.generate_square_subsequent_mask(n, device=ids.device)
        h = self.emb(ids) + self.pos[:n]
        for layer in self.layers:
            h = layer(h, src_mask=mask)
        return self.head(h)


def skeleton(cfg):
    with torch.device("meta"):
        return Decoder(cfg)


def from_state(cfg, state, device):
    model = skeleton(cfg)
    model.load_state_dict(state, assign=True)
    return model.to(device)


def blank(cfg, device):
    model = skeleton(cfg).to_empty(device=device)
    with torch.no_grad():
        for p in model.parameters():
            p.normal_(0, 0.02) if p.ndim > 1 else p.zero_()
        for m in model.modules():
            if isinstance(m, nn.LayerNorm):
                m.weight.fill_(1.0)
        model.pos.copy_(sinusoids(cfg.max_len, cfg.dim))
    return model


@torch.inference_mode()
def generate(model, prompt, steps):
    model.eval()
    ids = prompt
    for _ in range(steps):
        nxt = model(ids)[:, -1].argmax(-1, keepdim=True)
        ids = torch.cat([ids, nxt], 1)
    return ids.tolist()


def main():
    torch.manual_seed(0)
    cfg = Config()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    trained = blank(cfg, device)
    optimizer = torch.optim.AdamW(trained.parameters(), lr=1e-3)
    for _ in range(2):
        ids = torch.randint(0, cfg.vocab, (4, 13), device=device)
        loss = nn.functional.cross_entropy(trained(ids[:, :-1]).transpose(1, 2), ids[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    clone = from_state(cfg, {k: v.detach().clone() for k, v in trained.state_dict().items()}, device)
    print(generate(clone, torch.tensor([[1, 2, 3]], device=device), 5), f"{loss.item():.3f}")


if __name__ == "__main__":
    main()
