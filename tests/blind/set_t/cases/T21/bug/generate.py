import argparse
import torch
from lm import TinyLM
from sampling import Sampler


@torch.no_grad()
def generate(model, prompt, n, sampler):
    model.eval()
    ids = prompt
    sampler.start(len(prompt))
    for _ in range(n):
        logits = model(ids[:, -model.context :])[:, -1]
        ids = torch.cat([ids, sampler.pick(logits, ids)], dim=1)
        if sampler.finished.all():
            break
    return ids


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--tokens", type=int, default=20)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = p.parse_args()
    torch.manual_seed(args.seed)
    model = TinyLM().to(args.device)
    prompt = torch.randint(1, 40, (3, 4), device=args.device)
    for row in generate(model, prompt, args.tokens, Sampler()).tolist():
        print(row)
