import argparse
import torch
import torch.nn.functional as F
from lm import TinyLM
from prompt import SoftPrompt


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=20)
    ap.add_argument("--n-tokens", type=int, default=4)
    ap.add_argument("--lr", type=float, default=0.1)
    args = ap.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    model = TinyLM().to(device)
    model.requires_grad_(False)
    prompt = SoftPrompt(args.n_tokens, 16, device)
    optimizer = torch.optim.Adam([prompt.weight], lr=args.lr)

    for step in range(args.steps):
        ids = torch.randint(0, 40, (8, 12), device=device)
        logits = model(prompt.prepend(model.embed(ids[:, :-1])))
        logits = logits[:, prompt.n_tokens:]
        loss = F.cross_entropy(logits.reshape(-1, 40), ids[:, 1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.3f}")


if __name__ == "__main__":
    main()
