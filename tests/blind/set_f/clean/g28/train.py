import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader

from net import TextClassifier, collate


def dataset(n):
    return [(torch.randint(1, 30, (int(torch.randint(2, 7, ())),)), i % 3) for i in range(n)]


def main():
    accelerator = Accelerator(gradient_accumulation_steps=2)
    model = TextClassifier()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    train = DataLoader(dataset(16), batch_size=4, shuffle=True, collate_fn=collate)
    val = DataLoader(dataset(8), batch_size=4, collate_fn=collate)
    model, optimizer, train, val = accelerator.prepare(model, optimizer, train, val)
    for epoch in range(2):
        model.train()
        for batch in train:
            with accelerator.accumulate(model):
                loss = nn.functional.cross_entropy(model(batch["ids"]), batch["labels"])
                accelerator.backward(loss)
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
        model.eval()
        hits = 0
        for batch in val:
            with torch.no_grad():
                guess = model(batch["ids"]).argmax(-1)
            guess, labels = accelerator.gather_for_metrics((guess, batch["labels"]))
            hits += (guess == labels).sum().item()
        accelerator.print(epoch, hits / 8)


if __name__ == "__main__":
    main()
