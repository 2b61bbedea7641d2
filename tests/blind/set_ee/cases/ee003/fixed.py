"""Soft prompt tuning of a small frozen encoder."""
import torch
import torch.nn as nn

VOCAB, DIM, CLASSES = 100, 32, 3


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, DIM)
        layer = nn.TransformerEncoderLayer(DIM, nhead=4, dim_feedforward=64, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, num_layers=2)

    def forward(self, embedded):
        return self.layers(embedded)


class PromptTuned(nn.Module):
    def __init__(self, encoder, n_prompt, device):
        super().__init__()
        self.encoder = encoder.to(device)
        for p in self.encoder.parameters():
            p.requires_grad_(False)
        init = torch.randn(n_prompt, DIM, device=device) * 0.02
        self.prompt = nn.Parameter(init)
        self.cls = nn.Linear(DIM, CLASSES).to(device)

    def trainable(self):
        return [p for p in self.parameters() if p.requires_grad]

    def forward(self, ids):
        tok = self.encoder.tok(ids)
        prompt = self.prompt.unsqueeze(0).expand(ids.size(0), -1, -1)
        hidden = self.encoder(torch.cat([prompt, tok], dim=1))
        return self.cls(hidden[:, 0])


def batches(n, device):
    g = torch.Generator().manual_seed(0)
    for _ in range(n):
        ids = torch.randint(0, VOCAB, (8, 12), generator=g)
        labels = torch.randint(0, CLASSES, (8,), generator=g)
        yield ids.to(device), labels.to(device)


def tune(steps=5):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = PromptTuned(Encoder(), n_prompt=6, device=device)
    opt = torch.optim.Adam(model.trainable(), lr=3e-3)
    loss_fn = nn.CrossEntropyLoss()
    model.train()
    for step, (ids, labels) in enumerate(batches(steps, device)):
        loss = loss_fn(model(ids), labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 2 == 0:
            print(step, round(loss.item(), 4))
    return model


if __name__ == "__main__":
    tuned = tune()
    torch.save({k: v for k, v in tuned.state_dict().items() if not k.startswith("encoder.")}, "/tmp/prompt.pt")
