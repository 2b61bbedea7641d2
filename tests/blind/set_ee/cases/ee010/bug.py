import argparse
import os
import tempfile

import torch
import torch.nn as nn


class CharGRU(nn.Module):
    def __init__(self, vocab=64, hidden=48):
        super().__init__()
        self.embed = nn.Embedding(vocab, hidden)
        self.gru = nn.GRU(hidden, hidden, batch_first=True)
        self.head = nn.Linear(hidden, vocab)

    def forward(self, ids, state=None):
        out, state = self.gru(self.embed(ids), state)
        return self.head(out), state


class Checkpointer:
    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)

    def path(self, tag):
        return os.path.join(self.folder, f"{tag}.pth")

    def save(self, tag, model, optimizer, step):
        torch.save(
            {"model": model.state_dict(), "optim": optimizer.state_dict(), "step": step},
            self.path(tag),
        )

    def restore(self, tag, model, optimizer=None):
        payload = torch.load(self.path(tag), weights_only=True)
        model.load_state_dict(payload["model"])
        if optimizer is not None:
            optimizer.load_state_dict(payload["optim"])
        return payload["step"]


@torch.inference_mode()
def generate(model, start, length, device):
    model.eval()
    ids = torch.tensor([[start]], device=device)
    out, state = [start], None
    for _ in range(length):
        logits, state = model(ids, state)
        ids = torch.multinomial(logits[:, -1].softmax(-1), 1)
        out.append(ids.item())
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default=os.path.join(tempfile.gettempdir(), "chargru"))
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = parser.parse_args()
    device = torch.device(args.device)

    store = Checkpointer(args.folder)
    model = CharGRU().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    if not os.path.exists(store.path("last")):
        store.save("last", model, optimizer, step=0)
    step = store.restore("last", model, optimizer)
    print("resumed at", step, generate(model, 1, 10, device))


if __name__ == "__main__":
    main()
