import torch
from accelerate import Accelerator
from torch import nn

from data import loaders


def main(epochs=2):
    accelerator = Accelerator(gradient_accumulation_steps=2)
    train_loader, test_loader = loaders(4)
    model = nn.Sequential(nn.Linear(9, 16), nn.ReLU(), nn.Linear(16, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, train_loader, test_loader = accelerator.prepare(model, optimizer, train_loader, test_loader)
    for epoch in range(epochs):
        model.train()
        for x, y in train_loader:
            with accelerator.accumulate(model):
                loss = nn.functional.cross_entropy(model(x), y)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
        model.eval()
        correct = 0
        for x, y in test_loader:
            with torch.no_grad():
                pred = model(x).argmax(-1)
            pred, y = accelerator.gather_for_metrics((pred, y))
            correct += (pred == y).sum().item()
        accelerator.print(epoch, correct)


if __name__ == "__main__":
    main()
