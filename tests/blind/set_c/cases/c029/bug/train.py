import torch
from torch import nn
from torch.utils.data import DataLoader

from collate import collate
from tagger import TransformerTagger


def toy(n=12):
    out = []
    for i in range(n):
        tokens = torch.randint(1, 30, (3 + i % 4,))
        out.append({"tokens": tokens, "tags": tokens % 5})
    return out


def train(epochs=1):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = TransformerTagger(30, 5).to(device)
    loss_fn = nn.CrossEntropyLoss(ignore_index=-100)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        for batch in DataLoader(toy(), batch_size=4, shuffle=True, collate_fn=collate):
            tokens = batch["tokens"].to(device)
            tags = batch["tags"].to(device)
            mask = batch["mask"]
            mask.to(device)
            logits = model(tokens, mask)
            loss = loss_fn(logits.transpose(1, 2), tags)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    train()
