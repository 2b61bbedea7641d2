import torch

from gpt.averaging import WeightAverage
from gpt.config import GPTConfig
from gpt.model import GPT


def build(cfg):
    model = GPT(cfg)
    for p in model.parameters():
        if p.dim() > 1:
            torch.nn.init.normal_(p, std=0.02)
    return model


def get_batch(stream, cfg, bs, device):
    ix = torch.randint(len(stream) - cfg.block - 1, (bs,))
    x = torch.stack([stream[i:i + cfg.block] for i in ix])
    y = torch.stack([stream[i + 1:i + 1 + cfg.block] for i in ix])
    return x.to(device), y.to(device)


def main():
    cfg = GPTConfig()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = build(cfg)
    model.to(device)
    average = WeightAverage(model, cfg.decay)
    decay = [p for p in model.parameters() if p.dim() > 1]
    rest = [p for p in model.parameters() if p.dim() <= 1]
    opt = torch.optim.AdamW([{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}], lr=1e-3)
    stream = torch.randint(0, cfg.vocab, (500,))
    for it in range(4):
        _, loss = model(*get_batch(stream, cfg, 4, device))
        opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        average.update(model)
        print(it, round(loss.item(), 4))


main()
