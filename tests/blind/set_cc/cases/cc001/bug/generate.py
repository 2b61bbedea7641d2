import torch

from model import LMConfig, TinyLM


@torch.no_grad()
def generate(model, prompt, new_tokens):
    ids, past, out = prompt, None, [prompt]
    for _ in range(new_tokens):
        logits, past = model(ids, past)
        ids = logits[:, -1].argmax(dim=-1, keepdim=True)
        out.append(ids)
    return torch.cat(out, dim=1)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = TinyLM(LMConfig()).to(device).eval()
    prompt = torch.randint(0, 64, (2, 5), device=device)
    print(generate(model, prompt, 8).tolist())


if __name__ == "__main__":
    main()
