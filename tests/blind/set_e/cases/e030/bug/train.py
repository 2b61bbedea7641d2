import torch
from torch.utils.data import DataLoader, Dataset

from detection import TinyDetector, collate


class Shapes(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        size = 8 + i % 3
        return torch.rand(3, size, size), {"boxes": torch.rand(1, 4), "labels": torch.tensor([i % 3])}


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = TinyDetector().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(Shapes(), batch_size=2, collate_fn=collate)
    for images, targets in loader:
        images = images.to(device)
        targets = [{k: v.to(device) for k, v in t.items()} for t in targets]
        losses = model(images, targets)
        loss = sum(losses.values())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print({k: round(v.item(), 3) for k, v in losses.items()})


if __name__ == "__main__":
    main()
