import torch
from detector import Detector, detection_loss


def fake_batch(n=2, size=32):
    images = torch.rand(n, 3, size, size)
    targets = []
    for _ in range(n):
        k = int(torch.randint(1, 3, ()))
        targets.append((torch.cat([torch.rand(k, 2) * size, torch.rand(k, 2) * 10 + 6], 1), torch.randint(0, 3, (k,))))
    return images, targets


def run(steps=4):
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Detector().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for step in range(steps):
        images, targets = fake_batch()
        targets = [(b.to(device), l.to(device)) for b, l in targets]
        loss = detection_loss(*model(images.to(device)), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item())


if __name__ == "__main__":
    run()
