import torch
from torch.utils.data import DataLoader

from data import ToyShapes, collate
from detection.detector import TinyDetector
from detection.losses import DetectionLoss


def to_device(targets, device):
    return [{k: v.to(device) for k, v in t.items()} for t in targets]


def main(epochs=1):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = TinyDetector().to(device)
    criterion = DetectionLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    loader = DataLoader(ToyShapes(), batch_size=4, collate_fn=collate)
    for epoch in range(epochs):
        running = 0.0
        for images, targets in loader:
            out = model(images.to(device))
            loss = criterion(out, to_device(targets, device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running += loss.item()
        print(f"epoch {epoch}: {running / len(loader):.3f}")


if __name__ == "__main__":
    main()
