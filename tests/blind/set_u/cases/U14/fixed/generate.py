import argparse

import torch

from lm import LM, LMConfig, build, restore


@torch.no_grad()
def sample(model, ids, n):
    for _ in range(n):
        logits = model(ids[:, -model.cfg.context:])[:, -1]
        ids = torch.cat([ids, torch.multinomial(logits.softmax(-1), 1)], dim=1)
    return ids


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--tokens", type=int, default=12)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"

    cfg = LMConfig()
    state = LM(cfg).state_dict()  # stands for a downloaded checkpoint
    model = build(cfg)
    missing = restore(model, state)
    model.to(device)
    if missing:
        print("not in the checkpoint:", missing)
    model.eval()
    prompt = torch.randint(0, cfg.vocab, (1, 4), device=device)
    print(sample(model, prompt, args.tokens)[0].tolist())


if __name__ == "__main__":
    main()
