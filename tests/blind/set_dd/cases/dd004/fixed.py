"""Prompt tuning of a frozen text encoder."""
import torch
import torch.nn as nn
import torch.nn.functional as F

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class TinyEncoder(nn.Module):
    def __init__(self, vocab=100, dim=32, layers=2):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        layer = nn.TransformerEncoderLayer(dim, 4, 64, dropout=0.0, batch_first=True)
        self.blocks = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)

    def forward(self, embeds):
        return self.blocks(embeds)


class PromptTuner(nn.Module):
    def __init__(self, encoder, n_tokens=5, n_classes=3, device=DEVICE):
        super().__init__()
        self.encoder = encoder.to(device)
        for p in self.encoder.parameters():
            p.requires_grad_(False)
        dim = encoder.embed.embedding_dim
        init = encoder.embed.weight[:n_tokens].detach().clone()
        self.prompt = nn.Parameter(init.to(device))
        self.cls = nn.Linear(dim, n_classes, device=device)

    def forward(self, ids):
        words = self.encoder.embed(ids)
        prompt = self.prompt.unsqueeze(0).expand(ids.size(0), -1, -1)
        h = self.encoder(torch.cat([prompt, words], dim=1))
        return self.cls(h[:, : self.prompt.size(0)].mean(dim=1))


def batches(n, bs=8, length=12):
    for _ in range(n):
        yield torch.randint(0, 100, (bs, length)), torch.randint(0, 3, (bs,))


def main(steps=20):
    torch.manual_seed(1)
    tuner = PromptTuner(TinyEncoder())
    trainable = [p for p in tuner.parameters() if p.requires_grad]
    print("trainable:", sum(p.numel() for p in trainable))
    optimizer = torch.optim.AdamW(trainable, lr=1e-2)
    for ids, y in batches(steps):
        ids, y = ids.to(DEVICE), y.to(DEVICE)
        loss = F.cross_entropy(tuner(ids), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return tuner


if __name__ == "__main__":
    main()
