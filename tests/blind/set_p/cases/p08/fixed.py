import os
import tempfile

import torch
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.up = nn.Linear(dim, 4 * dim)
        self.down = nn.Linear(4 * dim, dim)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))


class LM(nn.Module):
    def __init__(self, vocab=64, dim=16, depth=2):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.blocks = nn.Sequential(*[Block(dim) for _ in range(depth)])
        self.out = nn.Linear(dim, vocab, bias=False)

    def forward(self, ids):
        return self.out(self.blocks(self.tok(ids)))


def write_checkpoint(path):
    torch.save(LM().state_dict(), path)


def load_for_inference(path, device):
    with torch.device("meta"):
        model = LM()
    model = model.to_empty(device=device)
    state = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(state)
    return model.eval()


@torch.inference_mode()
def generate(model, ids, steps):
    for _ in range(steps):
        logits = model(ids)[:, -1]
        ids = torch.cat([ids, logits.argmax(-1, keepdim=True)], dim=1)
    return ids


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    path = os.path.join(tempfile.mkdtemp(), "lm.pt")
    write_checkpoint(path)
    model = load_for_inference(path, device)
    prompt = torch.tensor([[1, 5, 9]], device=device)
    print(generate(model, prompt, 6).tolist())


if __name__ == "__main__":
    main()
