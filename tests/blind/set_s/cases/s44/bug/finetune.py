import argparse

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from encoder import Classifier, ConvEncoder

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=5)
parser.add_argument("--lr", type=float, default=1e-2)
parser.add_argument("--batch-size", type=int, default=8)
args = parser.parse_args()

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = TensorDataset(torch.randn(32, 3, 16, 16), torch.randint(0, 4, (32,)))
loader = DataLoader(data, batch_size=args.batch_size, shuffle=True)

model = Classifier(ConvEncoder(), classes=4).to(device)
model.freeze_encoder()
optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)

for epoch in range(args.epochs):
    running = 0.0
    for images, labels in loader:
        images, labels = images.to(device), labels.to(device)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        running += loss.detach()
    print(f"epoch {epoch} loss {running.item() / len(loader):.4f}")
